# Builds of the device library; included by the top Makefile or used alone:
#
#	make -f gpu/cuda/gpu.mk gpu        libcuzk_cuda.so for every architecture
#	make -f gpu/cuda/gpu.mk gpu-test   the test and benchmark binary
#
# CUZK_CUDA names a toolkit root. Without one, and without nvcc on the path, the
# compiler comes from Python wheels into build/cuda-toolkit. No GPU is needed.

GPU_SRC  := gpu/cuda
GPU_OUT  ?= build/gpu
GPU_ARCH ?= 80 86 89 90 100 120
GPU_PTX  ?= 120

CUDA_WHEELS := nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 \
	nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
CUDA_VENV := build/cuda-toolkit
CUZK_CUDA ?= $(shell command -v nvcc >/dev/null && dirname $$(dirname $$(readlink -f $$(command -v nvcc))))
NVCC := $(if $(CUZK_CUDA),$(CUZK_CUDA)/bin/nvcc,$(CUDA_VENV)/nvcc)
comma := ,
NVFLAGS := -std=c++17 -O3 -I$(GPU_SRC) --cudart static -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-O2 \
	$(foreach a,$(GPU_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
	$(if $(GPU_PTX),-gencode arch=compute_$(GPU_PTX)$(comma)code=compute_$(GPU_PTX)) $(GPU_FLAGS)

GPU_LIB_SRC  := $(wildcard $(GPU_SRC)/ntt/*.cu $(GPU_SRC)/msm/*.cu $(GPU_SRC)/prove/*.cu $(GPU_SRC)/api/*.cu)
GPU_TEST_SRC := $(wildcard $(GPU_SRC)/test/*.cu)
GPU_HEADERS  := $(wildcard $(GPU_SRC)/*.h $(GPU_SRC)/*/*.cuh $(GPU_SRC)/*/*.hpp $(GPU_SRC)/*/*.h)
gpu_objects = $(patsubst $(GPU_SRC)/%.cu,$(GPU_OUT)/%.o,$(1))

# The wheels keep the static runtime in lib, where nvcc does not look.
GPU_LD ?= $(if $(CUZK_CUDA),-L$(CUZK_CUDA)/lib)

.PHONY: gpu gpu-test
gpu: $(GPU_OUT)/libcuzk_cuda.so
gpu-test: $(GPU_OUT)/gpu_test

# Only the surface is visible: templates of the standard library are not ours.
GPU_MAP := $(GPU_SRC)/api/cuzk_cuda.map
$(GPU_OUT)/libcuzk_cuda.so: $(call gpu_objects,$(GPU_LIB_SRC)) $(GPU_MAP)
	$(NVCC) -shared --cudart static $(GPU_LD) -Xlinker --exclude-libs,ALL,--version-script=$(GPU_MAP) -o $@ $(filter %.o,$^)
	@! nm -D --defined-only $@ | grep -v ' T cuzk_cuda_' # nothing else is exported

$(GPU_OUT)/gpu_test: $(call gpu_objects,$(GPU_LIB_SRC) $(GPU_TEST_SRC))
	$(NVCC) --cudart static $(GPU_LD) -o $@ $^

# The device's arithmetic on the CPU; needs neither CUDA nor a GPU.
.PHONY: gpu-emulate
gpu-emulate: $(GPU_OUT)/emulate
	$(GPU_OUT)/emulate $(GPU_SRC)/test/gnark.bin
$(GPU_OUT)/emulate: $(GPU_SRC)/test/emulate.cpp $(GPU_HEADERS)
	@mkdir -p $(dir $@)
	$(CXX) -std=c++17 -O2 -Wall -Wno-unknown-pragmas -o $@ $<

$(GPU_OUT)/%.o: $(GPU_SRC)/%.cu $(GPU_HEADERS) | $(NVCC)
	@mkdir -p $(dir $@)
	$(NVCC) $(NVFLAGS) -c -o $@ $<

$(CUDA_VENV)/nvcc:
	python3 -m venv $(CUDA_VENV)
	$(CUDA_VENV)/bin/pip install --quiet $(CUDA_WHEELS)
	@# nvcc finds its files beside itself, not beside a link to it
	root="$$(echo $(CURDIR)/$(CUDA_VENV)/lib/python*/site-packages/nvidia/cu13)"; \
		printf '#!/bin/sh\nexec "%s/bin/nvcc" "-L%s/lib" "$$@"\n' "$$root" "$$root" > $@; chmod +x $@
