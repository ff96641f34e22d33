/** Loaded before a program: its clock is ten minutes ahead of everybody else's. */
const AHEAD_MS = 600_000
const now = Date.now.bind(Date)
Date.now = () => now() + AHEAD_MS
globalThis.Date = new Proxy(Date, {
  apply: (target) => String(new target(target.now())),
  construct: (target, given: [], into: typeof Date) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, into) as Date,
})
