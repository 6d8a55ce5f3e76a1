/**
 * What the benchmarks ask the operating system: processor time, which core runs what, free ports.
 */

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Role = 'server' | 'load' | 'model' | 'postgres'

/** Milliseconds of processor time (user and system, all threads) that a process has used so far. */
export function cpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name in brackets and may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

/** Bytes in RAM that a process has had at most since it began. */
export function peakMemory(pid: number): number {
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(peak?.[1]) * 1024
}

const ticksPerSecond = 100 // USER_HZ, fixed in Linux' interface to programs

/**
 * The command words that put a process on the core of its role: the server under test on one of its
 * own, everything that drives it on the others. Empty where there is no taskset or only one core.
 */
export function pinned(role: Role): readonly string[] {
  const wanted: Record<Role, number> = { server: 0, load: 1, model: 2, postgres: 3 }
  const core = cores[Math.min(wanted[role], cores.length - 1)]
  return isPinned && core !== undefined ? ['taskset', '-c', String(core)] : []
}

const cores = usableCores()

/** Whether servers and load run on cores of their own; results say so. */
export const isPinned = cores.length > 1 && hasTaskset()

function usableCores(): readonly number[] {
  if (process.platform !== 'linux') return []
  const list =
    /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, n) => first + n)
  })
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (typeof address !== 'object' || address === null) throw new Error('no free port on 127.0.0.1')
  await refuseAnswering(address.port)
  return address.port
}

/** Rejects where something answers on the port: its figures would be taken for the server's. */
export async function refuseAnswering(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const answers = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    sleep(1000, false, { ref: false }),
  ])
  socket.destroy()
  if (answers)
    throw new Error(
      `port ${port} already answers; stop what listens there, or leave the port to the bench`,
    )
}
