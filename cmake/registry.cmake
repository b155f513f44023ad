# Writes a source that lists the records of a folder: each FOLDER/NAME.cpp defines `const RECORD record` in the namespace
# assay::network::FOLDER::NAME. A file added to the folder is in the list; a linker cannot drop it.
function(write_registry folder record sources)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/network/${folder}/*.cpp)
  set(declarations "")
  set(items "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    if(NOT name STREQUAL "bind")
      string(APPEND declarations "namespace ${folder}::${name} { extern const ${record} record; }\n")
      string(APPEND items "      &${folder}::${name}::record,\n")
    endif()
  endforeach()
  set(output ${CMAKE_BINARY_DIR}/registry/${folder}.cpp)
  file(CONFIGURE OUTPUT ${output} CONTENT "#include \"network/registry.hpp\"
namespace assay::network {
${declarations}
const std::vector<const ${record}*>& all_${folder}() {
  static const std::vector<const ${record}*> list{
${items}  };
  return list;
}
}  // namespace assay::network
" @ONLY)
  set(${sources} ${${sources}} ${output} PARENT_SCOPE)
endfunction()
