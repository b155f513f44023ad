// The library needs one source until the first engine lands.
namespace assay {
int core_version() { return 1; }
}  // namespace assay
