MAIN       = kg_graph
# The functions of the same names in front of several databases: SQL alone.
FRONT      = kg_front
EXTENSION  = $(MAIN) $(FRONT)
# The control file is the single source of the version.
EXTVERSION = $(shell sed -n "s/^default_version *= *'\([^']*\)'.*/\1/p" $(MAIN).control)

MODULE_big  = $(MAIN)
# C is made of the templates of schemas and the meta-schemas, which are JSON, of the word lists, and of the list of
# functions.
SCHEMA_TEXTS = src/tools/schemas/texts.c
META_SCHEMAS = src/schema/metaschema/data.c
WORD_LISTS   = src/query/words/lists.c
FUNCTION_LIST = src/ask/function_list.c
MADE        := $(SCHEMA_TEXTS) $(META_SCHEMAS) $(WORD_LISTS) $(FUNCTION_LIST)
MODULE_SRCS = $(sort $(MADE) $(filter-out src/kgctl/%,$(wildcard src/*.c src/*/*.c src/*/*/*.c)))
OBJS        = $(MODULE_SRCS:.c=.o)
# PG_CPPFLAGS (not PG_CFLAGS) for -I and -D: the bitcode rule sees only CPPFLAGS.
PG_CPPFLAGS = -I$(srcdir)/src -DKG_VERSION='"$(EXTVERSION)"'
PG_CFLAGS   = -std=gnu99 -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
              -Wno-missing-field-initializers -Wswitch-enum -Wshadow=compatible-local $(WERROR)
# What the module calls of its own is its own, whatever else the server has loaded, and
# is called as it is, not through a table: a twentieth of a short call.
OWN_linux   = -Wl,-Bsymbolic-functions
OWN_freebsd = $(OWN_linux)
SHLIB_LINK  = -lpcre2-8 -luriparser -lidn2 -lcrypto $(OWN_$(PORTNAME))

# The install script is its parts, in the order of sql/parts.list.
SQL_PARTS   = $(addprefix sql/,$(shell cat sql/parts.list))
# Of earlier versions the script and the ways from there to here are installed, too.
DATA        = $(wildcard sql/released/*.sql sql/$(MAIN)--*--*.sql sql/$(FRONT)--*--*.sql)
DATA_built  = sql/$(MAIN)--$(EXTVERSION).sql sql/$(FRONT)--$(EXTVERSION).sql
# The page of kgctl serve --explorer, where "make explorer" built it.
EXPLORER_PAGE = explorer/kg_graph.explorer.html
DATA       += $(wildcard $(EXPLORER_PAGE))
DOCS        = LICENSE $(wildcard docs/*.md)

# PROGRAM would link $(OBJS), so kgctl is a SCRIPTS_built target with its own rule.
KGCTL_OBJS    = $(patsubst %.c,%.o,$(sort $(wildcard src/kgctl/*.c src/kgctl/*/*.c)))
SCRIPTS_built:= $(if $(KGCTL_OBJS),src/kgctl/kgctl)
KGCTL_SERVICE = src/kgctl/kgctl.service

REGRESS       := $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS   = --inputdir=test --load-extension=$(MAIN)
ISOLATION     := $(patsubst test/specs/%.spec,%,$(sort $(wildcard test/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test --load-extension=$(MAIN)
PROVE_TESTS   ?= $(sort $(wildcard test/t/*.pl))
TAP_TESTS     := $(if $(PROVE_TESTS),1)

EXTRA_CLEAN = $(MADE) $(KGCTL_SERVICE) $(KGCTL_OBJS) $(OBJS:.o=.d) $(KGCTL_OBJS:.o=.d) dist

PG_CONFIG ?= pg_config

# These goals set up everything themselves, PostgreSQL too.  PGXS has a check
# of its own, which only says that there is none, so it is not included here.
SELF_CONTAINED = check check-majors check-upgrade check-packages check-image sqlsmith demo conformance fuzz bench help
ifneq ($(filter $(SELF_CONTAINED),$(MAKECMDGOALS)),)

.PHONY: $(SELF_CONTAINED)

help: ## show the targets of this project
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

check: ## everything, in a throwaway cluster (scripts/check)
	scripts/check

check-majors: ## build and test with every supported PostgreSQL (scripts/check-majors)
	scripts/check-majors

check-upgrade: ## pg_upgrade from major to major, then ALTER EXTENSION UPDATE (scripts/check-upgrade)
	scripts/check-upgrade

sqlsmith: ## half an hour of random SQL as an ordinary role (scripts/sqlsmith)
	scripts/sqlsmith 1800

check-packages: ## the Debian packages, in fresh chroots (scripts/check-packages)
	scripts/check-packages

check-image: ## the image of the Dockerfile, without a registry (scripts/check-image)
	scripts/check-image

demo: ## from nothing to tool calls on real data (scripts/demo)
	scripts/demo

explore: ## the random tests with new seeds, for SECONDS=1200
	scripts/explore $(or $(SECONDS),1200)

conformance: ## the official MCP suite, Inspector and SDKs against kgctl
	scripts/conformance

# Half an hour for the four fuzzers together, and the tests of kgctl.
fuzz: ## kgctl under AddressSanitizer: fuzzers of its parsers and HTTP input, then its tests
	KG_ROUNDS=500 scripts/explore 1800 kgctl
	KGCTL_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer' \
		PROVE_TESTS='$(sort $(wildcard test/t/kgctl_*.pl))' scripts/check tap

bench: ## all measurements (bench/run)
	bench/run

else

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# The server is built without --enable-depend, so PGXS tracks no headers.
override CFLAGS += -MMD -MP
-include $(OBJS:.o=.d) $(KGCTL_OBJS:.o=.d)
$(OBJS:.o=.bc): $(wildcard src/*.h src/*/*.h src/*/*/*.h)
# The version is a flag of the compiler's.
$(patsubst %.c,%.o,$(shell grep -l KG_VERSION src/*.c src/*/*.c src/*/*/*.c 2>/dev/null)): $(MAIN).control

SCHEMAS = src/tools/schemas/parts.json $(sort $(filter-out %/parts.json,$(wildcard src/tools/schemas/*.json)))
$(SCHEMA_TEXTS): $(SCHEMAS)
$(META_SCHEMAS): $(sort $(wildcard src/schema/metaschema/*.json))
$(WORD_LISTS): $(sort $(wildcard src/query/words/*.txt))
$(FUNCTION_LIST): src/ask/function_list.txt
$(MADE): %.c: %.awk
	awk -f $< $(filter %.json %.txt,$^) > $@.new
	mv $@.new $@

sql/$(MAIN)--$(EXTVERSION).sql: $(SQL_PARTS) sql/parts.list $(MAIN).control
	cat $(SQL_PARTS) > $@

# Signatures come from the parts, so that those of the front are the same.
sql/$(FRONT)--$(EXTVERSION).sql: $(wildcard sql/front/*) $(SQL_PARTS) sql/parts.list $(MAIN).control
	grep -q "^default_version = '$(EXTVERSION)'" $(FRONT).control
	{ sed 's/$(MAIN)/$(FRONT)/g' sql/00_header.sql && cat sql/front/directory.sql sql/front/connect.sql && \
	  awk -f sql/front/generate.awk sql/front/routes $(SQL_PARTS) && cat sql/front/own.sql; } > $@.new
	mv $@.new $@

# Client code: libpq headers only, never the server's include directories.
# KGCTL_FLAGS may ask for sanitizers, which the module cannot have.
$(KGCTL_OBJS) src/kgctl/kgctl: override CFLAGS += $(KGCTL_FLAGS)
KGCTL_LIBS = libxml-2.0 serd-0
$(KGCTL_OBJS): override CPPFLAGS := -I$(shell $(PG_CONFIG) --includedir) $(PG_CPPFLAGS) $(shell pkg-config --cflags $(KGCTL_LIBS))
# Where the page is looked for; a package may put it elsewhere.
EXPLORER_FILE ?= $(datadir)/extension/$(notdir $(EXPLORER_PAGE))
src/kgctl/explorer.o: override CPPFLAGS += -DKG_EXPLORER_FILE='"$(EXPLORER_FILE)"'
src/kgctl/kgctl: $(KGCTL_OBJS)
	$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDFLAGS_EX) $(libpq) -ljansson -lyaml -lmicrohttpd -lcurl -lz -lzstd $(shell pkg-config --libs $(KGCTL_LIBS)) -o $@$(X)

# PGXS knows no manual pages.
$(KGCTL_SERVICE): $(KGCTL_SERVICE).in
	sed 's#@bindir@#$(bindir)#' $< > $@

.PHONY: install-kgctl uninstall-kgctl
install: install-kgctl
install-kgctl: $(KGCTL_SERVICE)
	$(MKDIR_P) '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(docdir)/$(docmoduledir)'
	$(INSTALL_DATA) $(srcdir)/docs/kgctl.1 '$(DESTDIR)$(mandir)/man1/'
	$(INSTALL_DATA) $(KGCTL_SERVICE) '$(DESTDIR)$(docdir)/$(docmoduledir)/'
uninstall: uninstall-kgctl
uninstall-kgctl:
	rm -f '$(DESTDIR)$(mandir)/man1/kgctl.1' '$(DESTDIR)$(docdir)/$(docmoduledir)/kgctl.service'

.PHONY: explorer
explorer: ## the page of kgctl serve --explorer (needs Node.js and npm)
	cd $(srcdir)/explorer && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent build

# The page stays when the rest is cleaned: an archive has it, and not all have Node.js.
.PHONY: maintainer-clean
maintainer-clean: clean
	rm -f $(EXPLORER_PAGE)

.PHONY: pgtap check-symbols check-layers check-sql check-format format dist deb

pgtap: ## the contract of the installed schema, against a running server
	pg_prove --ext .sql -r test/pgtap

check-layers: ## a file includes its own layer or a lower one
	ci/check_layers.sh

check-sql: ## SQL is written in the listed files only
	ci/check_sql.sh

check-symbols: $(MODULE_big).so ## exported symbols and symbols the server would capture
	ci/check_symbols.sh $< '$(bindir)/postgres'

check-format: ## clang-format leaves every file as it is
	ci/check_format.sh

format: ## rewrite the sources as clang-format lays them out
	ci/check_format.sh --fix

deb: ## the Debian packages (scripts/deb)
	scripts/deb

# What is committed and what is made of it: META.json names the install script,
# and not everybody who builds has Node.js for the page.
ARCHIVE = $(MAIN)-$(EXTVERSION)
dist: $(DATA_built) ## the PGXN archive
	mkdir -p dist
	git archive --format zip -o dist/$(ARCHIVE).zip --prefix=$(ARCHIVE)/sql/ $(addprefix --add-file=,$(DATA_built)) \
		$(if $(wildcard $(EXPLORER_PAGE)),--prefix=$(ARCHIVE)/explorer/ --add-file=$(EXPLORER_PAGE)) \
		--prefix=$(ARCHIVE)/ HEAD
	cd $(srcdir) && python3 -B ci/check_archive.py dist/$(ARCHIVE).zip

endif
