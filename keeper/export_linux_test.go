package keeper

// Without makes a spawner that finds features missing, as on another machine.
func (o Options) Without(names ...string) Options {
	o.without = names
	return o
}
