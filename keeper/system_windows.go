package keeper

// tiers: Windows has Job Objects, and they are always there.
func tiers() []Tier { return []Tier{TierJobObject} }

func open(_ Tier, o Options) (holder, error) {
	h, err := openJobObjects()
	if err != nil {
		return nil, err
	}
	return h, nil
}

// shield has nothing to do: handles are inherited by name only, and signals
// are not inherited at all.
func shield() (undo func()) { return func() {} }
