# The usual entries. Everything here also works without make: see the commands.

.PHONY: test bench run lint

run: ## the headless example
	go run ./examples/headless

test: ## all tests, as CI runs them
	./scripts/test

bench: ## every figure beside its baseline, at full length
	go test -run '^$$' -bench 'SpawnWait|SpawnThroughput' -benchtime 500x .
	go test -run '^$$' -bench 'Capture|Subscribers' -benchtime 5x .
	go test -run '^$$' -bench DurableNoop -benchtime 100000x .
	go test -run '^$$' -bench Parked -benchtime 1x .
	go test -run '^$$' -bench . ./keeper ./rawlog ./interpret ./store/...

lint: ## golangci-lint, where it is installed
	golangci-lint run ./...
