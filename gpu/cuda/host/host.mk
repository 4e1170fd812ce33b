# The stand-in for the device library that computes on the CPU (gpu/cuda/host):
#
#	make -f gpu/cuda/host/host.mk        build/gpu/host/libcuzk_cuda.so
#	make -f gpu/cuda/host/host.mk plans  prints what becomes of parameters on some cards
#
# No CUDA is needed: the sources of the prover compile against a CUDA runtime on
# the host, with twins of the kernels that need cooperation between threads.

HOST_SRC := gpu/cuda
HOST_OUT ?= build/gpu/host
HOST_CXX ?= g++
# Vectors made of the limbs of a number stall its next use.
HOST_FLAGS := -std=c++17 -O3 -fno-tree-vectorize -fopenmp -fPIC -fvisibility=hidden -Wall -Wno-unknown-pragmas -I$(HOST_SRC)/host
HOST_FILES := $(wildcard $(HOST_SRC)/prove/*.cu $(HOST_SRC)/api/*.cu $(HOST_SRC)/host/*.cpp)
HOST_HEADERS := $(wildcard $(HOST_SRC)/*.h $(HOST_SRC)/*/*.cuh $(HOST_SRC)/*/*.hpp $(HOST_SRC)/*/*.h)
HOST_OBJECTS := $(patsubst $(HOST_SRC)/%,$(HOST_OUT)/%.o,$(HOST_FILES))

$(HOST_OUT)/libcuzk_cuda.so: $(HOST_OBJECTS)
	$(HOST_CXX) -shared -fopenmp -o $@ $^

.PHONY: plans
plans: $(HOST_OUT)/plans
	$<
$(HOST_OUT)/plans: $(HOST_OUT)/test/plans.cpp.o $(HOST_OBJECTS)
	$(HOST_CXX) -fopenmp -o $@ $^

$(HOST_OUT)/%.o: $(HOST_SRC)/% $(HOST_HEADERS)
	@mkdir -p $(dir $@)
	$(HOST_CXX) $(HOST_FLAGS) -x c++ -c -o $@ $<
