/* Plain C twins, on two ranks, of programs that take a reading in several steps: LogGP's probes, windows of messages
 * one way and both, the tournament of all pairs (here of one), a library's non-blocking operation before a loop. */
#include "twin.h"

/* An exchange, a burst of 16, the burst with a loop of twice the gap before each message but the first, a late receive.
 * Stored is one of what follows from them. */
enum { BURST = 16 };
enum loggp { GAP, RECEIVE };
INLINE void loggp(enum loggp stored, int readings, int batch, double* took) {
  static const int steps[] = {1, BURST, BURST, 1};
  for (int reading = 0; reading < readings; ++reading) {
    if (rank == 1) {
      for (int step = 0; step < 4; ++step)
        for (int i = 0; i < batch; ++i) {
          for (int k = 0; k < steps[step]; ++k) take(in, bytes, TAG);
          give(out, bytes, TAG);
        }
      continue;
    }
    double start = now();
    for (int i = 0; i < batch; ++i) {
      give(out, bytes, TAG);
      take(in, bytes, TAG);
    }
    const double round_trip = now() - start;
    start = now();
    for (int i = 0; i < batch; ++i) {
      for (int k = 0; k < BURST; ++k) give(out, bytes, TAG);
      take(in, bytes, TAG);
    }
    const double gap = (now() - start - round_trip) / (BURST - 1);
    const long pause = turns_in(2 * (gap > 0 ? gap : 0) / batch);
    volatile double paused = 0;
    for (int i = 0; i < batch; ++i) {
      give(out, bytes, TAG);
      for (int k = 1; k < BURST; ++k) {
        const double entered = now();
        turn(pause);
        paused += now() - entered;
        give(out, bytes, TAG);
      }
      take(in, bytes, TAG);
    }
    const long while_it_comes = turns_in(2 * round_trip / batch);
    double fetching = 0;
    for (int i = 0; i < batch; ++i) {
      give(out, bytes, TAG);
      turn(while_it_comes);
      const double entered = now();
      take(in, bytes, TAG);
      fetching += now() - entered;
    }
    took[reading] = stored == GAP ? gap : fetching;
  }
}
static void loggp_gap(int readings, int batch, double* took) { loggp(GAP, readings, batch, took); }
static void loggp_receive(int readings, int batch, double* took) { loggp(RECEIVE, readings, batch, took); }

/* Windows of 16 messages, and an empty one back or, both ways, there and back. */
INLINE void stream(int both, int readings, int batch, double* took) {
  enum { WINDOW = 16, WORD = TAG + 1 };
  static MPI_Request due[WINDOW], sent[WINDOW];
  const int sends = both || rank == 0, receives = both || rank == 1;
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    if (both) rank == 0 ? give(NULL, 0, WORD + 1) : take(NULL, 0, WORD + 1);
    for (int i = 0; i < batch; ++i) {
      for (int k = 0; receives && k < WINDOW; ++k)
        MPI_Irecv(in, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &due[k]);
      for (int k = 0; sends && k < WINDOW; ++k)
        MPI_Isend(out, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &sent[k]);
      for (int k = 0; receives && k < WINDOW; ++k) MPI_Wait(&due[k], &status);
      for (int k = 0; sends && k < WINDOW; ++k) MPI_Wait(&sent[k], MPI_STATUS_IGNORE);
      if (both)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 1 - rank, WORD, NULL, 0, MPI_BYTE, 1 - rank, WORD, MPI_COMM_WORLD, &status);
      else
        rank == 0 ? take(NULL, 0, WORD) : give(NULL, 0, WORD);
    }
    took[reading] = now() - start;
  }
}
static void one_way(int readings, int batch, double* took) { stream(0, readings, batch, took); }
static void both_ways(int readings, int batch, double* took) { stream(1, readings, batch, took); }

/* Passes of a barrier and TRIPS round trips, of which the first does not count, led by each rank in turn; two readings
 * a pass, there and back, by when messages reached the other. */
static void tournament(int readings, int batch, double* took) {
  enum { TRIPS = 21, STAMPS = TAG + 1 };
  int64_t sent[TRIPS], reached[TRIPS], returned[TRIPS];
  (void)batch;
  for (int pass = 0; 2 * pass < readings; ++pass) {
    const int leads = rank == pass % 2;
    double ways[2] = {0, 0};
    MPI_Sendrecv(NULL, 0, MPI_BYTE, 1 - rank, TAG, NULL, 0, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &status);
    for (int i = 0; i < TRIPS; ++i) {
      if (leads) {
        sent[i] = (int64_t)now();
        give(out, bytes, TAG);
        take(in, bytes, TAG);
        returned[i] = (int64_t)now();
      } else {
        take(in, bytes, TAG);
        reached[i] = (int64_t)now();
        give(out, bytes, TAG);
      }
    }
    if (leads) {
      take(reached, sizeof reached, STAMPS);
      for (int i = 1; i < TRIPS; ++i) {
        ways[0] += (double)(reached[i] - sent[i]) / (TRIPS - 1);
        ways[1] += (double)(returned[i] - reached[i]) / (TRIPS - 1);
      }
    } else {
      give(reached, sizeof reached, STAMPS);
    }
    if (rank == 1) {
      give(ways, sizeof ways, STAMPS);
      continue;
    }
    double theirs[2];
    take(theirs, sizeof theirs, STAMPS);
    for (int way = 0; way < 2 && 2 * pass + way < readings; ++way)
      took[2 * pass + way] = leads ? ways[way] : theirs[way];
  }
}

/* A moment at which both begin. */
static void together(void) {
  double at = now() + 2e4;
  rank == 0 ? give(&at, sizeof at, TAG) : take(&at, sizeof at, TAG);
  while (now() < at) continue;
}

/* A library's allreduce, begun and waited for; a loop as long; and both at once. Stored is the first, of the slower
 * rank. */
static void begun_and_waited_for(int readings, int batch, double* took) {
  MPI_Request request;
  (void)batch;
  for (int reading = 0; reading < readings; ++reading) {
    double mine, theirs = 0;
    together();
    double start = now();
    MPI_Iallreduce(in, out, bytes / 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mine = now() - start;
    if (rank == 1) give(&mine, sizeof mine, TAG);
    if (rank == 0) take(&theirs, sizeof theirs, TAG);
    if (theirs > mine) mine = theirs;
    rank == 0 ? give(&mine, sizeof mine, TAG) : take(&mine, sizeof mine, TAG);
    const long turns = turns_in(mine);
    turn(turns);
    together();
    MPI_Iallreduce(in, out, bytes / 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    turn(turns);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    rank == 1 ? give(&mine, sizeof mine, TAG) : take(&theirs, sizeof theirs, TAG);
    took[reading] = mine;
  }
}

void TWIN(char** words, int readings, double* took) {
  static const struct mode modes[] = {{"loggp-gap", loggp_gap},   {"loggp-receive", loggp_receive},
                                      {"one-way", one_way},       {"both-ways", both_ways},
                                      {"tournament", tournament}, {"begun", begun_and_waited_for}};
  run_mode(modes, sizeof modes / sizeof *modes, words, readings, took);
}
