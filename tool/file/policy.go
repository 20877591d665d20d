package file

import (
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"go.yaml.in/yaml/v3"
)

// readPolicy reads the rules: a list of mappings from a permission to a pattern
// or a list of patterns.
func (f *File) readPolicy(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		return f.fault(node.Line, "policy must be a list of rules, such as \"- deny: pets/delete_*\"")
	}
	var rules []tool.Rule
	for _, item := range node.Content {
		if item.Kind != yaml.MappingNode || len(item.Content) != 2 {
			return f.fault(item.Line, "a rule is one permission and its pattern, such as \"deny: pets/delete_*\"")
		}
		for key, value := range pairs(item) {
			permission := process.Permission(key.Value)
			switch permission {
			case process.Allow, process.Deny, process.Ask:
			default:
				return f.fault(key.Line, "unknown permission %q: known are allow, deny, ask", tool.Clip(key.Value, 50))
			}
			patterns, err := f.patterns(value)
			if err != nil {
				return err
			}
			for _, pattern := range patterns {
				rules = append(rules, tool.Rule{Pattern: pattern, Permission: permission})
			}
		}
	}
	var err error
	f.policy, err = tool.NewPolicy(rules...)
	return err
}

func (f *File) patterns(node *yaml.Node) (patterns []string, err error) {
	items := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		items = node.Content
	}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode {
			return nil, f.fault(item.Line, "a pattern is a text, such as \"pets/*\"")
		}
		if err := tool.CheckPattern(item.Value); err != nil {
			return nil, f.fault(item.Line, "%s", err)
		}
		patterns = append(patterns, item.Value)
	}
	return patterns, nil
}
