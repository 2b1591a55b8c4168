/* Everything for one type of numbers. */
#include "vectors.h"

#include "products.h"

#include "weights.h"

#include "operations.h"

#include "passes.h"

#include "adam.h"

#undef V
#undef B
#undef LANES
#undef AT
#undef READ
#undef ON
#undef FOR_ELEMENTS
#undef VALUE
#undef ADJOINT
#undef FOR_STRETCHES
#undef D_VALUE
#undef A_VALUE
#undef B_VALUE
#undef D_ADJOINT
#undef BINARY
#undef HAS_ADJOINT
#undef GIVE
