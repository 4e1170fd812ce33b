# The drop-in library: filecoin-ffi's C interface. Included by the Makefile.

##@ Drop-in

FILC        := libcuzk_filcrypto.so
FILC_HEADER := include/cuzk_filcrypto.h
FILC_MAP    := capi/filcrypto/libcuzk_filcrypto.map
FILC_LD     := -Wl,-soname,$(FILC).$(ABI) -Wl,--version-script=$(CURDIR)/$(FILC_MAP) \
               -Wl,-Bsymbolic-functions -Wl,-z,relro,-z,now -Wl,--build-id=none

.PHONY: filcrypto
filcrypto: $(LIB)/$(FILC).$(ABI) ## Build libcuzk_filcrypto.so, filecoin-ffi's C calls, in build/lib

$(LIB)/$(FILC).$(ABI): $(GO_SOURCES) $(HEADER) $(GO_RUNTIME) $(FILC_HEADER) $(FILC_MAP)
	@mkdir -p $(LIB) $(BUILD)/obj
	$(GO_LIBRARY) -buildmode=c-shared -o $(BUILD)/obj/$(FILC) \
	    -ldflags '$(STRIP) -buildid= -extldflags "$(FILC_LD)"' ./capi/filcrypto
	mv -f $(BUILD)/obj/$(FILC) $(LIB)/$(FILC).$(VERSION)
	ln -sf $(FILC).$(VERSION) $(LIB)/$(FILC)
	ln -sf $(FILC).$(VERSION) $@

.PHONY: install-filcrypto
install-filcrypto: filcrypto ## Install the drop-in library, its header and cuzk_filcrypto.pc below PREFIX
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(LIB)/$(FILC).$(VERSION) $(DESTDIR)$(PREFIX)/lib/
	ln -sf $(FILC).$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(FILC).$(ABI)
	ln -sf $(FILC).$(ABI) $(DESTDIR)$(PREFIX)/lib/$(FILC)
	install -m 644 $(FILC_HEADER) $(DESTDIR)$(PREFIX)/include/
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|^Name: cuzk|Name: cuzk_filcrypto|; s|-lcuzk|-lcuzk_filcrypto|' \
	    capi/cuzk.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/cuzk_filcrypto.pc
