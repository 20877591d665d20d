# The usual entries. Everything here also works without make: see the commands.

.PHONY: test bench torture run lint

run: ## the headless example
	go run ./examples/headless

test: ## all tests, as CI runs them
	./scripts/test

bench: ## every figure beside its baseline, at full length
	go test -run '^$$' -bench SpawnWait -benchtime 500x .
	go test -run '^$$' -bench 'SpawnThroughput|Capture|Subscribers' -benchtime 9x .
	go test -run '^$$' -bench DurableNoop -benchtime 100000x .
	go test -run '^$$' -bench Parked -benchtime 1x .
	go test -run '^$$' -bench . ./keeper ./rawlog ./interpret ./store/...

torture: ## kill the host under load, again and again
	REEVE_CRASH_ROUNDS=100 go test -count=1 -timeout 30m -v -run AgainAndAgain .

lint: ## golangci-lint, where it is installed
	golangci-lint run ./...
