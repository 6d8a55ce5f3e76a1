import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Checkup, InstallationContext } from '@amodal/sdk'

/** The oldest version that the packages run on: `engines` of their package.json. */
const NODE = [22, 18] as const
/** Bytes that should be free on the disk of the agent folder. */
const FREE = 1_000_000_000
const MB = 1_000_000
const OTHERS = 0o077

/** Node's version, free disk space, and the permissions of the files in `.amodal`. */
export async function machineCheckups({ dir }: InstallationContext): Promise<readonly Checkup[]> {
  return [nodeCheckup(), await diskCheckup(dir), ...(await rightsCheckup(join(dir, '.amodal')))]
}

function nodeCheckup(): Checkup {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const ok = major > NODE[0] || (major === NODE[0] && minor >= NODE[1])
  const lines = ok ? [] : [`install Node ${NODE.join('.')} or newer`]
  return { title: `Node ${node}`, ok, lines }
}

async function diskCheckup(dir: string): Promise<Checkup> {
  const { bavail, bsize } = await statfs(dir)
  const free = bavail * bsize
  const ok = free >= FREE
  const lines = ok ? [] : [`free some: ${FREE / MB} MB at least, for data, logs and archives`]
  return { title: `Disk of ${dir}: ${Math.floor(free / MB)} MB free`, ok, lines }
}

/** Nothing on Windows, where `stat` does not return access rights. */
async function rightsCheckup(folder: string): Promise<readonly Checkup[]> {
  const own = await stat(folder).catch(() => undefined)
  if (!own || process.platform === 'win32') return []
  const names = await readdir(folder)
  const found = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), ...(await rightsOf(folder, name)) })),
  )
  const closed = (own.mode & OTHERS) === 0
  const open = closed ? [] : found.filter(({ mode }) => (mode & OTHERS) !== 0)
  return [
    {
      title: 'Files in .amodal',
      ok: open.length === 0,
      lines: open.map(({ path }) => `others than its owner may read ${path}: chmod go-rwx ${path}`),
    },
  ]
}

async function rightsOf(folder: string, name: string): Promise<{ readonly mode: number }> {
  const found = await stat(join(folder, name)).catch(() => undefined) // removed meanwhile
  return { mode: found?.mode ?? 0 }
}
