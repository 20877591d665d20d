package typescript

// Narrow lets less wait between programs and the host: to fill what may takes
// the race detector half a minute.
func (e *Env) Narrow() { e.onTheWay = maxOnTheWay / 16 }
