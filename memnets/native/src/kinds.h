// What the library computes: the list of its networks.
#pragma once

#include "dnc.h"
#include "lrua.h"
#include "network.h"
#include "ntm.h"
#include "recurrent.h"

// Every kind of network: its name in the functions of entry_points.h, and its class.
#define MEMNETS_KINDS(DO)             \
  DO(ntm, MemoryNetwork<NTMMemory>)   \
  DO(dnc, MemoryNetwork<DNCMemory>)   \
  DO(lrua, MemoryNetwork<LRUAMemory>) \
  DO(lstm, Recurrent<LSTMUnit>)       \
  DO(gru, Recurrent<GRUUnit>)
