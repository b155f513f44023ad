"""What a run's traces of noise say of each node: the spectrum, its periods, and what causes them where that shows."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from assay.analysis.noise_spectrum import Peak, causes, in_step, name_peak, peaks, spectrum
from assay.document.node_noise import NamedPeak, NodeNoise, NodeSpectrum, NoiseSource
from assay.machine.noise_traces import Trace, traces_of
from assay.store import Run


def noise_by_node(run: Run, benchmark: str) -> list[NodeNoise]:
    """Give one entry per node, from all launches of `benchmark` that count; empty where there is no trace."""
    by_host: dict[str, list[Trace]] = defaultdict(list)
    for about, file in run.tasks():
        if about.benchmark == benchmark and not about.superseded:
            for trace in traces_of(file.path, file.content.traces):
                by_host[trace.host].append(trace)
    return [of_node(host, traces) for host, traces in sorted(by_host.items())]


def of_node(host: str, traces: list[Trace]) -> NodeNoise:
    """Sum up the traces of one node, at least one."""
    seconds = sum(trace.seconds for trace in traces)
    counted: dict[str, int] = defaultdict(int)
    for trace in traces:
        for row, count in trace.interrupts.items():
            counted[row] += count
    tick = next((trace.tick for trace in traces if trace.tick), None)
    detours = sum(len(trace.start) for trace in traces)
    found = causes(
        counted,
        seconds,
        tick=tick,
        steal=sum(trace.steal for trace in traces),
        involuntary=sum(trace.involuntary for trace in traces),
        detours=detours,
    )
    placed = [trace for trace in traces if trace.method == "work" and trace.start]
    steps = sum(in_step(np.asarray(t.start), tick, t.quantum) * len(t.start) for t in placed) if tick else 0.0
    stepping = steps / sum(len(trace.start) for trace in placed) if placed else 0.0
    spans = [trace for trace in traces if trace.done]
    step = spans[0].quantum if spans else 0.0
    series = [1 - np.asarray(trace.done) / max(1, max(trace.done)) for trace in spans if trace.quantum == step]
    of = spectrum(series, step) if spans else None
    high = [] if of is None else [(peak, name_peak(peak, found, tick)) for peak in peaks(of)]
    lost = sum(trace.lost * trace.seconds for trace in traces) / seconds
    text = [f"{lost:.2%} of the time lost in {detours / seconds:.3g} detours per second of processor time"]
    if stepping > 0:
        text.append(f"{stepping:.0%} of the detours coincide with the kernel's timer tick of {tick:g} Hz")
    text += [f"spectrum: {_words(peak, cause)}" for peak, cause in high]
    if of is not None and not high:
        text.append(f"spectrum: no significant period in {of.blocks} blocks")
    text += [f"counted: {cause.text}" for cause in found[:5]]
    return NodeNoise(
        host=host,
        seconds=seconds,
        lost=lost,
        detours=detours / seconds,
        tick=tick,
        in_step=stepping,
        causes=[NoiseSource(name=cause.name, rate=cause.rate, text=cause.text) for cause in found],
        peaks=[NamedPeak(**vars(peak), cause=cause) for peak, cause in high],
        spectrum=None
        if of is None
        else NodeSpectrum(frequency=of.frequency.tolist(), power=of.power.tolist(), blocks=of.blocks, limit=of.limit),
        text=text,
    )


def _words(peak: Peak, cause: str | None) -> str:
    more = f" with {peak.harmonics} harmonics" if peak.harmonics else ""
    return f"{peak.frequency:.4g} Hz{more}, {cause or 'its cause is not among what the kernel counts'}"
