# The usual entries. Everything here also works without make: see the commands.

.PHONY: build install man completions test bench torture compare soak run lint release fuzz web web-dev test-web screenshots

PREFIX     ?= /usr/local
SYSCONFDIR ?= /etc
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT     ?= $(shell git rev-parse HEAD 2>/dev/null)

# The daemon before which make web-dev serves the dashboard.
DAEMON ?= http://127.0.0.1:7338

GOLANGCI ?= v2.13.2

# V8 needs a C++ compiler; without one, programs run on QuickJS.
CGO_ENABLED ?= $(shell command -v $${CXX:-g++} >/dev/null 2>&1 && echo 1 || echo 0)

build: ## the program, stamped, into bin
	CGO_ENABLED=$(CGO_ENABLED) go build -trimpath -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)" -o bin/reeve ./cmd/reeve

man: ## a manual page for each command, into bin/man
	REEVE_MAN_DIR=$(CURDIR)/bin/man go test -count=1 -run TestManPages ./cmd/reeve

completions: build ## for bash, zsh and fish, into bin/completions
	mkdir -p bin/completions
	bin/reeve completion bash > bin/completions/reeve
	bin/reeve completion zsh > bin/completions/_reeve
	bin/reeve completion fish > bin/completions/reeve.fish

install: build man completions ## all of it below DESTDIR and PREFIX, with units for systemd
	install -D -m 755 bin/reeve $(DESTDIR)$(PREFIX)/bin/reeve
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 bin/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -D -m 644 bin/completions/reeve $(DESTDIR)$(PREFIX)/share/bash-completion/completions/reeve
	install -D -m 644 bin/completions/_reeve $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_reeve
	install -D -m 644 bin/completions/reeve.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/reeve.fish
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/systemd/user
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|; s|/etc/reeve|$(SYSCONFDIR)/reeve|' packaging/systemd/reeve.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/reeve.service
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' packaging/systemd/user/reeve.service > $(DESTDIR)$(PREFIX)/lib/systemd/user/reeve.service
	test -e $(DESTDIR)$(SYSCONFDIR)/reeve/config.yaml || install -D -m 644 packaging/config.yaml $(DESTDIR)$(SYSCONFDIR)/reeve/config.yaml

run: ## the daemon, from source
	go run ./cmd/reeve serve

web: web/app/node_modules ## the dashboard of its source, into web/dist, which is committed
	cd web/app && npx tsc --noEmit
	go run ./web/build

web-dev: web/app/node_modules ## the dashboard, rebuilt whenever it is loaded, before a daemon (DAEMON=URL)
	go run ./web/build -dev $(DAEMON)

test-web: web/app/node_modules ## the dashboard in a browser; T=tests/list.spec.ts for one file
	cd web/app && npx tsc --noEmit
	go run ./web/build -check
	cd web/app && npx playwright test $(T)

screenshots: web/app/node_modules ## the pictures of the documentation
	cd web/app && REEVE_SCREENSHOTS=$(CURDIR)/docs/images npx playwright test tests/screenshots.spec.ts

web/app/node_modules: web/app/package-lock.json
	cd web/app && npm ci --no-audit --no-fund --loglevel=error
	touch $@

test: ## all tests, as CI runs them
	./scripts/test

bench: ## every figure beside its baseline, peers and growth included; F=-short to see that it works
	CGO_ENABLED=$(CGO_ENABLED) go run ./bench $(F)

torture: ## kill the daemon, the keeper and an embedding host under load, again and again, and cut the power everywhere
	CGO_ENABLED=$(CGO_ENABLED) REEVE_TORTURE_ROUNDS=100 REEVE_TORTURE_KEEPER=10 REEVE_TORTURE_COMMANDS=50 REEVE_TORTURE_PROGRAMS=50 REEVE_TORTURE_CREATES=200 go test -count=1 -timeout 60m -v -run IsKilled ./torture
	REEVE_TORTURE=1 go test -count=1 -timeout 30m -v -run 'InSandboxes|^TestConformance$$' ./keeper
	REEVE_TORTURE=1 go test -count=1 -timeout 30m -v -run TopManyProcesses ./e2e
	REEVE_CRASH_ROUNDS=100 go test -count=1 -timeout 30m -v -run AgainAndAgain .
	REEVE_TORTURE=1 go test -count=1 -timeout 30m -v -run 'PowerCut|EveryCrashPoint' . ./store/sqlite ./env/supervisor

compare: ## the same jobs under Reeve, supervisor, pm2 and task-spooler, as one table
	@CGO_ENABLED=$(CGO_ENABLED) go run ./compare

fuzz: ## every decoder, for a while (REEVE_FUZZTIME, a count)
	REEVE_FUZZTIME=$${REEVE_FUZZTIME:-20000x} ./scripts/fuzz

REEVE_SOAK      ?= 1h
REEVE_SOAK_JSON ?= bin/soak.json

soak: ## mixed load with faults for an hour (REEVE_SOAK=10m: for less): nothing lost, nothing grows
	mkdir -p bin
	CGO_ENABLED=$(CGO_ENABLED) REEVE_SOAK=$(REEVE_SOAK) REEVE_SOAK_JSON=$(abspath $(REEVE_SOAK_JSON)) go test -count=1 -timeout 0 -v -run Soak ./torture

lint: ## what .golangci.yml says, by a linter that is built when it is first needed
	CGO_ENABLED=0 go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) run ./...

release: ## an archive for every platform that compiles, and their sums, into dist
	go run ./packaging/release -version $(VERSION) -commit "$(COMMIT)" -out dist
