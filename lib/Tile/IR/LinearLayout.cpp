#include "Tile/IR/LinearLayout.h"
