import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A file or folder that belongs to an agent and is not in its database. */
export interface FileOutside {
  /** Relative to the agent folder. */
  readonly path: string
  readonly about: string
}

/** Everything that servers and commands keep in `.amodal`, but for the database and copies. */
const PLACES: readonly FileOutside[] = [
  { path: '.amodal/master-key', about: 'without which nothing sealed can be read: keep it apart' },
  { path: '.amodal/audit', about: 'the checkpoints and the signing key of the audit log: copy it' },
  { path: '.amodal/assets', about: 'files of messages: copy it after this backup' },
  { path: '.amodal/archive', about: 'archived sessions: copy it' },
  { path: '.amodal/evals', about: 'results of evals: copy it if you want to compare with them' },
  { path: '.amodal/admin', about: 'changes of the agent’s files that can be undone: copy it' },
  { path: '.amodal/packages', about: 'packages of parts: `amodal pkg install` brings them back' },
]

/** Of {@link PLACES}, those that there are. */
export const filesOutside = (dir: string): readonly FileOutside[] =>
  PLACES.filter(({ path }) => existsSync(join(dir, path)))
