/* Plain C twins of message-passing programs' inner loops, over MPI, on two ranks to four. */
#include "twin.h"

enum { WINDOW = 64, FAN = 16 };

/* The loop of osu_latency. */
static void echo(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    if (rank == 0) {
      const double start = now();
      for (int i = 0; i < batch; ++i) {
        give(out, bytes, TAG);
        take(in, bytes, TAG);
      }
      took[reading] = now() - start;
    } else {
      for (int i = 0; i < batch; ++i) {
        take(in, bytes, TAG);
        give(out, bytes, TAG);
      }
    }
  }
}

static void dissemination(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      uint64_t seen = 1ull << rank, heard = 0;
      for (int step = 1; step < ranks; step *= 2) {
        const int from = rank < step ? rank - step + ranks : rank - step;
        MPI_Sendrecv(&seen, 8, MPI_BYTE, rank + step < ranks ? rank + step : rank + step - ranks, TAG, &heard, 8,
                     MPI_BYTE, from, TAG, MPI_COMM_WORLD, &status);
        seen |= heard;
      }
      if (seen != (1ull << ranks) - 1) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    took[reading] = now() - start;
  }
}

/* Ranks in pairs, a power of two of them: nearer ones first, both at once, or farther ones first, the lower one first.
 */
static inline __attribute__((always_inline)) void pairs(int doubling, int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      uint64_t seen = 1ull << rank, heard = 0;
      for (int step = 1; step < ranks; step *= 2) {
        const int other = rank ^ (doubling ? step : ranks / 2 / step);
        if (doubling) {
          MPI_Sendrecv(&seen, 8, MPI_BYTE, other, TAG, &heard, 8, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &status);
        } else if (rank < other) {
          MPI_Send(&seen, 8, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
          MPI_Recv(&heard, 8, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &status);
        } else {
          MPI_Recv(&heard, 8, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &status);
          MPI_Send(&seen, 8, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
        }
        seen |= heard;
      }
      if (seen != (1ull << ranks) - 1) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    took[reading] = now() - start;
  }
}
static void doubling(int readings, int batch, double* took) { pairs(1, readings, batch, took); }
static void dimensions(int readings, int batch, double* took) { pairs(0, readings, batch, took); }

static void tree(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      uint64_t seen = 1ull << rank, heard = 0;
      int bit = 1;
      for (; bit < ranks && (rank & bit) == 0; bit *= 2) {
        if (rank + bit >= ranks) continue;
        MPI_Recv(&heard, 8, MPI_BYTE, rank + bit, TAG, MPI_COMM_WORLD, &status);
        seen |= heard;
      }
      if (rank != 0) {
        MPI_Send(&seen, 8, MPI_BYTE, rank & ~bit, TAG, MPI_COMM_WORLD);
        MPI_Recv(&seen, 8, MPI_BYTE, rank & ~bit, TAG, MPI_COMM_WORLD, &status);
      }
      for (bit /= 2; bit >= 1; bit /= 2) {
        if (rank + bit < ranks) MPI_Send(&seen, 8, MPI_BYTE, rank + bit, TAG, MPI_COMM_WORLD);
      }
      if (seen != (1ull << ranks) - 1) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    took[reading] = now() - start;
  }
}

static void library(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) MPI_Barrier(MPI_COMM_WORLD);
    took[reading] = now() - start;
  }
}

/* An echo by ready sends: each side posts its receive before the other can know of it. */
static void forced(int readings, int batch, double* took) {
  MPI_Request due;
  if (rank == 0) {
    take(NULL, 0, TAG);
    for (int reading = 0; reading < readings; ++reading) {
      const double start = now();
      for (int i = 0; i < batch; ++i) {
        MPI_Irecv(in, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &due);
        MPI_Rsend(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        MPI_Wait(&due, &status);
      }
      took[reading] = now() - start;
    }
  } else {
    MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &due);
    give(NULL, 0, TAG);
    for (long left = (long)readings * batch; left > 0; --left) {
      MPI_Wait(&due, &status);
      if (left > 1) MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &due);
      MPI_Rsend(out, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
  }
}

/* Windows of immediate messages from rank 0, and a word back. */
static inline __attribute__((always_inline)) void windows(int window, int word_from, int readings, int batch,
                                                          double* took) {
  static MPI_Request requests[WINDOW];
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      for (int k = 0; k < window; ++k) {
        if (rank == 0)
          MPI_Isend(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[k]);
        else
          MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[k]);
      }
      for (int k = 0; k < window; ++k) MPI_Wait(&requests[k], &status);
      if (rank == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, word_from, TAG + 1, MPI_COMM_WORLD, &status);
      else
        give(NULL, 0, TAG + 1);
    }
    took[reading] = now() - start;
  }
}
static void rate(int readings, int batch, double* took) { windows(WINDOW, 1, readings, batch, took); }
static void fan_out(int readings, int batch, double* took) { windows(FAN, MPI_ANY_SOURCE, readings, batch, took); }

static void self(int readings, int batch, double* took) {
  if (rank != 0) return;
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      MPI_Request sent;
      MPI_Isend(out, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &sent);
      MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &status);
      MPI_Wait(&sent, &status);
    }
    took[reading] = now() - start;
  }
}

static void token(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      if (rank == 0) {
        give(out, bytes, TAG);
        take(in, bytes, TAG);
      } else {
        take(in, bytes, TAG);
        give(in, bytes, TAG);
      }
    }
    took[reading] = now() - start;
  }
}

static void shift(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i)
      MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - rank, TAG, in, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &status);
    took[reading] = now() - start;
  }
}

/* A fan with one neighbour: a window of FAN messages to rank 0, the last three quarters timed. */
static void fan_in(int readings, int batch, double* took) {
  for (int reading = 0; reading < readings; ++reading) {
    double sum = 0;
    for (int i = 0; i < batch; ++i) {
      if (rank == 1) {
        take(NULL, 0, TAG + 1);
        for (int k = 0; k < FAN; ++k) give(out, bytes, TAG);
        continue;
      }
      give(NULL, 0, TAG + 1);
      int k = 0;
      for (; k < FAN / 4; ++k) MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
      const double start = now();
      for (; k < FAN; ++k) MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
      sum += now() - start;
    }
    took[reading] = sum;
  }
}

/* An exchange alone, a loop as long, and the loop inside the exchange. Stored is the exchange alone:
 * what a loop inside it hides of it depends on which rank happens to be ahead, in both programs alike. */
static void overlap(int readings, int batch, double* took) {
  MPI_Request due, sent;
  for (int reading = 0; reading < readings; ++reading) {
    const double start = now();
    for (int i = 0; i < batch; ++i) {
      MPI_Irecv(in, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &due);
      MPI_Isend(out, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &sent);
      MPI_Wait(&due, &status);
      MPI_Wait(&sent, &status);
    }
    took[reading] = now() - start;
    const long turns = turns_in(took[reading] / batch);
    for (int i = 0; i < batch; ++i) turn(turns);
    give(NULL, 0, TAG);
    take(NULL, 0, TAG);
    volatile double inside = 0;
    for (int i = 0; i < batch; ++i) {
      MPI_Irecv(in, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &due);
      MPI_Isend(out, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &sent);
      const double entered = now();
      turn(turns);
      inside += now() - entered;
      MPI_Wait(&due, &status);
      MPI_Wait(&sent, &status);
    }
  }
}

/* An echo of eight round trips a reading between ranks 0 and 1, with rank 2 idle; a reply's first byte says whether to
 * go on. */
static void routing_echo(int readings, int batch, double* took) {
  enum { TRIPS = 8 };
  (void)batch;
  for (int reading = 0; reading < readings && rank < 2; ++reading) {
    if (rank == 0) {
      const double start = now();
      for (int i = 0; i < TRIPS; ++i) {
        give(out, bytes, TAG);
        take(in, bytes, TAG);
      }
      took[reading] = (now() - start) / TRIPS;
    } else {
      for (int left = TRIPS; left > 0;) {
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        --left;
        out[0] = left > 0;
        give(out, bytes, TAG);
      }
    }
  }
}

/* A loop of LOOP_NS at rank 2 while ranks 0 and 1 echo, which they do until it is over; it looped alone before. Stored
 * is the first over the second, as if in seconds: how long a loop lasts is known no better than it was probed once. */
static void spin(int readings, int batch, double* took) {
  enum { LOOP_NS = 100000, TOLD = TAG + 1, LOOPS = 2 };
  for (int reading = 0; reading < readings; ++reading) {
    double times[2] = {0, 0};
    if (rank == 0) {
      MPI_Send(NULL, 0, MPI_BYTE, LOOPS, TOLD, MPI_COMM_WORLD);
      MPI_Recv(NULL, 0, MPI_BYTE, LOOPS, TOLD, MPI_COMM_WORLD, &status);
      MPI_Send(NULL, 0, MPI_BYTE, LOOPS, TOLD, MPI_COMM_WORLD);
      do {
        give(out, bytes, TAG);
        take(in, bytes, TAG);
      } while (in[0]);
      MPI_Recv(times, sizeof times, MPI_BYTE, LOOPS, TOLD, MPI_COMM_WORLD, &status);
      took[reading] = 1e9 * batch * times[0] / times[1];
    } else if (rank == 1) {
      for (int going = 1; going;) {
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == LOOPS) {
          MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &status);
          going = 0;
        }
        out[0] = (char)going;
        give(out, bytes, TAG);
      }
    } else if (rank == LOOPS) {
      const long turns = turns_in(LOOP_NS);
      for (int alone = 1; alone >= 0; --alone) {
        if (!alone) MPI_Send(NULL, 0, MPI_BYTE, 0, TOLD, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TOLD, MPI_COMM_WORLD, &status);
        const double start = now();
        turn(turns);
        times[alone] = now() - start;
      }
      MPI_Send(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
      MPI_Send(times, sizeof times, MPI_BYTE, 0, TOLD, MPI_COMM_WORLD);
    }
  }
}

/* The stream that contention measures, with nothing beside it: rank 0 tells rank 1 to begin, rank 2 tells rank 0 how
 * long all arrivals but the first took. */
static void contention(int readings, int batch, double* took) {
  enum { STREAM = 32 };
  (void)batch;
  for (int reading = 0; reading < readings; ++reading) {
    double taken = 0;
    if (rank == 0) {
      MPI_Send(NULL, 0, MPI_BYTE, 1, TAG + 1, MPI_COMM_WORLD);
      MPI_Recv(&took[reading], sizeof taken, MPI_BYTE, 2, TAG + 1, MPI_COMM_WORLD, &status);
    } else if (rank == 1) {
      MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG + 1, MPI_COMM_WORLD, &status);
      for (int k = 0; k < STREAM; ++k) MPI_Send(out, bytes, MPI_BYTE, 2, TAG, MPI_COMM_WORLD);
    } else if (rank == 2) {
      MPI_Recv(in, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &status);
      const double start = now();
      for (int k = 1; k < STREAM; ++k) MPI_Recv(in, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &status);
      taken = now() - start;
      MPI_Send(&taken, sizeof taken, MPI_BYTE, 0, TAG + 1, MPI_COMM_WORLD);
    }
  }
}

/* All to all of two ranks: an exchange, one operation a reading. */
INLINE void exchange_once(void) {
  MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - rank, TAG, in, bytes, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &status);
}
static void exchange(int readings, int batch, double* took) { in_windows(exchange_once, readings, batch, took); }

void TWIN(char** words, int readings, double* took) {
  static const struct mode modes[] = {{"echo", echo},
                                      {"dissemination", dissemination},
                                      {"doubling", doubling},
                                      {"dimensions", dimensions},
                                      {"tree", tree},
                                      {"library", library},
                                      {"forced", forced},
                                      {"rate", rate},
                                      {"self", self, .alone = 1},
                                      {"token", token},
                                      {"shift", shift},
                                      {"fan-in", fan_in},
                                      {"fan-out", fan_out},
                                      {"overlap", overlap},
                                      {"routing-echo", routing_echo},
                                      {"spin", spin},
                                      {"contention", contention},
                                      {"exchange", exchange, .by_rank = 1}};
  run_mode(modes, sizeof modes / sizeof *modes, words, readings, took);
}
