"""The words of docs/machines.md that no number gives: how it was made, and what is known to differ."""

INTRODUCTION = """\
# The published machines, described and simulated

Written by `assay evaluate --on all --docs docs`; edit the descriptions (`src/assay/catalogue/machines`) and the code,
not this page.

Each machine is described by a file of few numbers, not by tables of published results. The programs that measure a
real machine run on it, and every message goes through the simulated network. Each published number is shown with the
simulated one and its kind, which is computed from what the description was made of (`[origin]` in its file) and from
what the source computes from other cells (`restates` in the catalogue):

{meanings}

Only extrapolated and transferred numbers are evidence. Echoes are fitted on one and six hops, so that two to five hops
are interpolated: a straight line does it too, as the second table shows.

Errors are those of the rates as printed. Intel's times are whole ticks of the clock, and a tick is up to 6% of a short
echo and 25% of a short self time. The residual error is what exceeds half of the last printed digit and one tick.
"""

DIFFERS = (
    "**DELTA, buffer requests.** A request interrupts the receiving processor, for which the paper gives 50 us "
    "elsewhere; nothing of it is fitted: 17 MB/s in ready mode (FORCE_TYPE) and 13.1 MB/s without it are 50 us "
    "apart for each six segments. Which segments ask, 11.9 MB/s at 8,192 bytes decide: three requests. With one "
    "before every sixth segment (`delta`) the first break is at 2,380 bytes and the rate rises from 2 to 8 KiB "
    "(11.3, 11.7, 11.9 MB/s); by the text, for more than six segments alone (`delta:text`), with one before the "
    "first, seventh and so on, the break is at 2,856 bytes and the rate of 4 KiB falls to 10.2. 13.1 MB/s follow "
    "from both (13.08 and 13.0).",
    "**Fan-in, what one sender reaches.** An echo shows only the sum of what a message takes of the sender's and of "
    "the receiver's processor. With halves, one sender of short messages reached half of what an iPSC/860 node "
    "takes in, and the DELTA's receiver was idle while it was asked for buffers. Now the receiving processor of "
    "both does one thing at a time: data as they come, a request (an interrupt), its part of a receive. The "
    "iPSC/860's part is the 50 us that the paper prints; the DELTA's and the Ncube 6400's, a third of the sum, are "
    "chosen: a second sender of the DELTA then gains below a segment alone, and further ones of the Ncube 6400 at "
    "every length.",
    "**Ncube 6400, contention.** With the load set by length, as in the reports, messages of 2 and 8 KiB hardly "
    "notice loads up to 75%, and their rates do not fall in order: a channel serves in the order of requests, so "
    "that short loading messages pass while the measured sender copies its next one. The paper prints no number of "
    "it.",
    "**Table 3.2, a reading.** Two trees whose roots exchange make 2 log2 n - 1 messages of an iPSC/860's one-way "
    "time one after the other: within 3% on 4 to 64 nodes. The DELTA's node 0 that hears and answers each is 4 to "
    "7% high on 8 and 16. A constant step fails on the Ncube 6400, whose numbers grow by 194 and 200 us per "
    "doubling, more than its one-way time of 156, from a start below it (125 per dimension on 8 nodes): log2 n "
    "rounds of messages are 26% and 11% high on 8 and 16 nodes and right on 64. No algorithm of whole messages that "
    "we know has all three. That the cubes are about equal follows all the same: the iPSC/860 has half the one-way "
    "time and twice the messages.",
    "**Paragon, computing and communicating.** One number stands for the bus that both share: the 251 MB/s that Table"
    " 3.1 has for one processor, and for three together. A byte of a message waits for one of the stream's at its bus, "
    "so that the stream keeps 149 of its 251 MB/s and messages 102 of their 171. Measured were 146 and 31, and 119 for "
    "messages alone in that test (section 4 has 171): 146 of 252 and 31 of 119 are 84% of a bus that is never idle, so "
    "that no such bus gives these numbers. Two processors that only read lose 6% in Table 3.1, which is not described "
    "either.",
    "**Paragon, several processors.** From one processor's rates out of memory and out of the cache follow two and "
    "three of them: 60 and 67 MB/s of the inner product, where 50 and 63 are printed and equal parts of the bus would "
    "be 78 and 117. A byte of other compiled loops takes the bus as long (14 ns; 4 ns of the assembler loop, which "
    "loads past the cache). At the 11 Mflop/s of compiled code the Jacobi iteration and the Cholesky factorisation, 4 "
    "bytes per flop, then gain 1.56 by three processors, where 2.7 and 2.1 are printed; by the assembler loop's bytes, "
    "as these were charged before, 2.80 both. The size of the Jacobi iteration's grid is not printed: in the caches "
    "it would gain 3.0. Its rate on one processor is not either: with 5 Mflop/s it would gain 2.5. The Cholesky "
    "factorisation is held back by locks as well, which are not described.",
    "**Clusters, second cache.** Rates out of the first cache are inputs; those out of the second follow from two "
    "numbers of each cluster (IBM: SGI's by the clock). SGI's own are irregular, as the paper says: a copy is nearly "
    "twice as fast as that, an addition half as fast.",
    "**Clusters, two processors on one memory.** 59 Mflop/s out of memory and 243 out of the cache leave 75 for two, "
    "where 74 are printed. SGI's 67 and 278 leave 85, so that two ranks per node are 1.5 times as slow as one, where "
    "the paper has almost twice.",
    "**Clusters, modules 2a and 2b.** Loops within a matrix-vector product are slower on the Intel processors than the "
    "same loops alone, and XP1000's compiler loses two thirds of its axpy at -O3: here they are the loops alone.",
    "**Hypercubes, arithmetic of scalars.** A sum of three products takes about half of its operations one by one, "
    "whose assignments the compilers leave out.",
    "**DELTA, six times the bandwidth.** So it is with FORCE_TYPE (17 MB/s against 2.8); the echo has 4.5 times.",
    "**DELTA, a rate that rises linearly.** A time of alpha + beta N has a rate in proportion to N while messages are "
    "short; the simulated one levels off from 1 KiB on, and a straight line leaves 58% of its mean.",
    "**Paragon, PFS.** 94.2 MB/s, where 95 are printed, to a unit: fitted on this number, by two parameters that other "
    "cells share.",
    "**Clusters, latency.** Myrinet's is said to be almost ten times lower than Fast Ethernet's: 105 over 15.9 us, "
    "both printed and both inputs, are 6.6.",
    "**iPSC/1 beyond 1,024 bytes.** Only Table 7's 504 kB/s at 8,192 bytes can be read of those rows: what a further "
    "segment costs is fitted on it, nearly as much as a message of its own.",
    "**iPSC/1, host.** Longer messages go in segments of 1,024 bytes; eight of them give a host 8.0 times below a "
    "neighbour at 8,192 bytes, where the text has nearly ten, and 5.5 times below the Ncube 3200's (nearly six).",
    "**In proportion to the hops.** Six hops leave the store-and-forward machines 0.24 to 0.33 of the one-hop rate in"
    " Appendix A, where a proportion would leave 0.17; simulated, the Ncube 3200 and the iPSC/1 up to 1,024 bytes are"
    " in that range, but 8,192 bytes of the iPSC/1, whose segments follow each other from node to node, keep 0.71.",
    "**iPSC/860, 33 us per hop.** Appendix A's own longer messages give 29 to 31 us, and the fit to them 30.",
    "**Ncube 6400, start-up.** Table 6 has 200 us, the DELTA's Table 3.1 154 us; the echo's own rows give 154 to 157.",
    "**Hosts of the iPSC/860, iPSC/2 and Ncube 6400.** Times fall as lengths grow; the cells that no monotone model "
    "can follow are named under their tables.",
    "**iPSC/860, files of its host.** One node reads the concurrent file system 45 times as fast as the host's own "
    "disk and 5.4 times as fast as its NFS: the paper's order of magnitude lies between the two, of which no number "
    "is printed. Both are assumed.",
    "**iPSC/860, 8 bytes.** 80 us printed is a whole tick from the 75 us that the other short cells ask for.",
    "**Clusters, a switch.** The paper speaks of a single Ethernet loop. Four pairs at 11 MB/s each at the same time "
    "(bisection on 8 ranks) are 44 MB/s, more than the 12.5 of a shared segment: both Ethernets are described with a "
    "switch.",
    "**Clusters, exchanges.** A message alone runs at 94 MB/s on Myrinet, and both ways at once at 65 each: one "
    "interface of 130 MB/s that out and in share, as a PCI bus of 32 bits at 33 MHz (132 MB/s) would be. On Ethernet "
    "the protocol stack shares its 18 to 19 MB/s likewise.",
    "**Clusters, strided on Ethernet.** 13 and 14 MB/s, faster than the contiguous 11 and 12, and than the wire's "
    "12.5 MB/s: not explained. The simulation packs the words and is slower. Lengths of the messages are not printed.",
    "**Clusters, reductions.** All four tables show twice what a tree of messages can give; the rate counts them "
    "twice, for an unknown reason. SGI's 64, 82, 74 MB/s on 4, 6, 8 ranks: the same three rounds on 6 and 8 ranks and"
    " two on 4 give one rate in the simulation, 74.",
    "**Clusters, collect.** On Myrinet the root loses as long on each byte as the network takes for it (SGI: 47 "
    "MB/s). The paper cannot explain it; here it is a number, `compute.rate.gather`. Why the IBM cluster falls "
    "further, to 45 on 8 ranks, is not explained: simulated 55.",
    "**Clusters, neighbours.** SGI's 2-D falls from 63 to 56 MB/s from 4 to 8 ranks, simulated 65 throughout; on the "
    "XP1000 the 3-D pattern, which on 4 ranks passes a third of its messages to the rank itself, gains nothing by "
    "that (10 MB/s; 13 on 6 ranks), simulated 14.",
    "**IBM cluster, mod1j.** 2.74 us and 132 MB/s are faster than any message between its nodes (mod1h has 94 to 95 "
    "MB/s): taken for two ranks of one node, as the paper suspects. What falls to 90 MB/s for the longest messages is"
    " not described: no cache is.",
    "**Clusters, naive dot product on Ethernet.** The root's processor handles seven sums in and out at 44 us each, "
    "so that the naive version loses 11% on 8 ranks, where the paper sees very little difference (figure 6.1 is "
    "lost).",
    "**Clusters, naive dot product on Myrinet.** The naive version loses 1.3% on 8 ranks, where the paper sees a "
    "'clear difference' from the tree (figure 6.6 is lost): clear is taken as more than the 5% within which the "
    "versions 'hardly differ' on Ethernet, our choice, and what a reader sees of a printed curve.",
    "**Clusters, two ranks per node.** A ring within nodes and between them loses nothing in the simulation (1-D "
    "neighbours): each node still has one message out and one in.",
    "**AlphaServer SC and Origin2000.** Table 6.15 has two numbers each, both of which are inputs: these descriptions"
    " cannot be validated. The 300 MHz Origin has none of its own.",
    "**Clusters, maya5.** The report's inputs are not printed. On the IBM cluster p processors are 2.67, 4.0, 5.3 and "
    "7.8 times (p = 4, 6, 8, 16) as fast as two: whole parts of 16, handed out to p - 1 processors, are 2.67, 4, 5.33 "
    "and 8. Our pulsars in 16 parts have the times of the SGI cluster within 8%; speedups of 5.00 and 7.52 become 5.4 "
    "and 8.4, as parts of theirs differ more and all of ours is computed in parts. 16 was chosen with the times of the "
    "SGI cluster and the Origin in view, so that these are no evidence either.",
    "**Clusters, vasp.** The program's 10 bands were chosen for a ratio of Ethernet to Myrinet near that in print "
    "on 8 processors: these cells are inputs.",
    "**SLALOM.** Nodes are charged LINPACK's rate with 100 equations, and nothing is fitted: 21, 111 and 240 Mflop/s "
    "for 15.6, 134.8 and 205, so that the DELTA is 2.2 times as fast as the iPSC/860, where 1.52 is printed and equal "
    "nodes alone would give 1. Of the iPSC/860's 59 s its nodes compute for 17 and wait for panels for 42; of the "
    "DELTA's 58 s for 38 and 20. Files take 0.1 s. Without any start-up the iPSC/860 is 0.4% faster, panels of 2 or 4 "
    "columns change it by 1 to 4%, channels of twice the rate make 182 Mflop/s of 111: bytes decide, and the rates of "
    "channels are printed. With half of the bytes and nodes of 4 Mflop/s the same systems run at 146 and 200: what "
    "the original sends, and how fast its nodes compute, is not printed. The ring was chosen after the results of a "
    "binomial tree (62 Mflop/s on the iPSC/860) were seen, so that the cells of these two machines are no evidence.",
    "**DELTA, LINPACK.** Growth from 128 to 512 nodes is 3.94 where 3.86 is printed: within 2%, and not within what "
    "the last digits of 3.6 and 13.9 leave open (3.79 to 3.93). Ranks compute for 86% of the time on 128 nodes and "
    "for 84% on 512.",
    "**Paragon MP, NAS.** Compiled code has one rate, 11 Mflop/s. By a cache of 16 KB FT's transforms of 256 and 512 "
    "points, eight lines at a time, come from memory in every step, 4.8 bytes per flop: two processors gain 1.27, "
    "where 1.20 to 1.42 are printed. MG's blocks have rows of 128 points on most numbers of nodes, so that the cache "
    "holds the rows around a row, 2.2 bytes per flop: 1.78, where 1.21 to 1.39 are printed. With rows of 256 points it "
    "would be 1.27: so it is if two processors of a node divide its loops instead of its block, and which way Intel's "
    "did is not printed. EP, which has no such bytes, is within 3% in class B; what takes 5 to 13% in class A is not "
    "described. The rule by which bytes are counted was made with these cells in view, its numbers were not fitted.",
    "**Paragon MP, materials code.** Printed 1.7, simulated 1.50: an elimination by the library's ZAXPY needs the bus "
    "for 57% of a processor's time. A code that works on blocks within the cache needs less of it; nothing is printed "
    "of the program but its speedup.",
)
