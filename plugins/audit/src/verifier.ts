import { type Clock, type Database, type Failure, ok, type Result, type Secrets } from '@amodal/sdk'
import { type CheckpointSet, readCheckpoints } from './checkpoint-set.ts'
import { KEY_VARIABLE, signerOf } from './signer.ts'
import type { ChainStore } from './store.ts'

/** What verifies the chains of a server that runs. */
export interface Verifier {
  readonly store: ChainStore
  readonly checkpoints: (signal: AbortSignal) => Promise<Result<CheckpointSet, Failure>>
  /** ms since the epoch. */
  readonly now: () => number
}

interface Around {
  readonly own: string | undefined
  readonly copies: string | undefined
  readonly store: ChainStore
  readonly database: Database | undefined
  readonly secrets: Secrets | undefined
  readonly clock: Clock
}

/** Against the checkpoints of the agent's folder and their copies. */
export const verifierOf = ({ own, copies, store, database, secrets, clock }: Around): Verifier => ({
  store,
  now: () => clock.now(),
  async checkpoints(signal) {
    if (!database || own === undefined) return ok(UNSIGNED)
    const pem = secrets?.get(KEY_VARIABLE)
    const key = pem === undefined ? undefined : signerOf(pem)
    return readCheckpoints({ own, copies, given: [], key }, () => clock.now(), signal)
  },
})

/** Of a log in memory, or without an agent folder. */
const UNSIGNED: CheckpointSet = {
  count: 0,
  signed: new Map(),
  writers: new Map(),
  signers: new Set(),
  problems: [],
  notes: ['nothing of this log is signed: only changes within it can be detected'],
  isAbsent: false,
}
