/**
 * Clocks that jump: the wall clock to and fro, the monotonic one forward only, as on a machine that
 * was suspended. The server imports this before anything else, so that everybody there reads these
 * clocks. Timers are not moved.
 */

const real = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  hrtime: process.hrtime.bigint,
}
const shift = { wallMs: 0, monotonicMs: 0 }

const now = (): number => real.now() + shift.wallMs
const monotonic = (): number => real.monotonic() + shift.monotonicMs
const bigint = (): bigint => real.hrtime() + BigInt(Math.round(shift.monotonicMs * 1_000_000))
const hrtime = (since?: [number, number]): [number, number] => {
  const passed = bigint() - (since ? BigInt(since[0]) * 1_000_000_000n + BigInt(since[1]) : 0n)
  return [Number(passed / 1_000_000_000n), Number(passed % 1_000_000_000n)]
}

Date.now = now
performance.now = monotonic
process.hrtime = Object.assign(hrtime, { bigint })
globalThis.Date = new Proxy(Date, {
  construct: (target, args: readonly unknown[], made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made) as object,
  apply: () => new Date(now()).toString(),
})

/**
 * @param wallMs how far the wall clock is off from now on;
 * @param jumpMs how far the monotonic one leaps now
 */
export function jump(wallMs: number, jumpMs: number): void {
  shift.wallMs = wallMs
  shift.monotonicMs += Math.max(0, jumpMs)
}
