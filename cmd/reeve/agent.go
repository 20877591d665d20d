package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/reeverun/reeve/daemon"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/env/agent/model/anthropic"
	"github.com/reeverun/reeve/env/agent/model/openai"
	"github.com/reeverun/reeve/process"
)

// agents is the environment of agents. It is always there; without a model it
// says what is missing.
func agents(p daemon.Parts) *agent.Env {
	prices := map[string]agent.Price{}
	for name, price := range p.Settings.AgentPrices {
		prices[name] = agent.Price{Input: price.Input, Cached: price.Cached, Output: price.Output}
	}
	return agent.New(agent.Config{
		Models: models(takeenv), Model: p.Settings.AgentModel, Prices: prices, Windows: p.Settings.AgentWindows,
		Tools:        func(ctx context.Context, allowed []string) []agent.Tool { return agentTools(ctx, p, allowed) },
		Environments: func(allowed []string) []string { return agentChildren(p, allowed) },
		Spec:         p.Spec,
	})
}

// takeenv reads a variable. One that holds a credential is taken out of the
// environment: commands that are started without an environment of their own
// inherit the daemon's.
func takeenv(name string) string {
	value := os.Getenv(name)
	if strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") {
		_ = os.Unsetenv(name)
	}
	return value
}

// models are those that the SDKs' usual variables name.
func models(getenv func(string) string) map[string]model.Model {
	all := map[string]model.Model{}
	o := openai.Config{BaseURL: getenv("OPENAI_BASE_URL"), Key: getenv("OPENAI_API_KEY"),
		Organization: getenv("OPENAI_ORG_ID"), Project: getenv("OPENAI_PROJECT_ID")}
	if o.BaseURL != "" || o.Key != "" {
		all[agent.OpenAI] = openai.New(o)
	}
	a := anthropic.Config{BaseURL: getenv("ANTHROPIC_BASE_URL"), Key: getenv("ANTHROPIC_API_KEY"), Token: getenv("ANTHROPIC_AUTH_TOKEN")}
	if a.BaseURL != "" || a.Key != "" || a.Token != "" {
		all[agent.Anthropic] = anthropic.New(a)
	}
	return all
}

// maxConnect bounds how long a step waits for services that are still being
// connected; those that come later are offered later.
const maxConnect = 10 * time.Second

// agentTools are those that an agent may call.
func agentTools(ctx context.Context, p daemon.Parts, allowed []string) (all []agent.Tool) {
	p.Tools.Start(ctx) // an agent that an earlier daemon left may come before the daemon does it
	waiting, cancel := context.WithTimeout(ctx, maxConnect)
	defer cancel()
	_ = p.Tools.Ready(waiting) // what is not ready is not offered
	for _, t := range p.Tools.Offered(allowed) {
		all = append(all, agent.Tool{Service: t.Service, Name: t.Name, Description: t.Description, Params: t.Params,
			Asks: t.Permission == process.Ask})
	}
	return all
}

// agentChildren are the environments in which an agent may start processes.
func agentChildren(p daemon.Parts, allowed []string) (names []string) {
	for _, name := range []string{process.EnvTypeScript, process.EnvCommand, process.EnvAgent} {
		if p.Tools.Permission("reeve", "spawn."+name, allowed).Permission != process.Deny {
			names = append(names, name)
		}
	}
	return names
}
