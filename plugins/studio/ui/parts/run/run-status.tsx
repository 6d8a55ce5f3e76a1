import type { ReactNode } from 'react'
import type { RunStatus } from '@amodal/sdk/client'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { Status, type Tone } from '../status.tsx'

const TONES: Readonly<Record<RunStatus, Tone>> = {
  queued: 'none',
  running: 'run',
  awaiting_input: 'warn',
  complete: 'good',
  error: 'bad',
  canceled: 'none',
}

/** Where a run stands, in a word and a colour. */
export const RunStatusMark = ({ status }: { readonly status: RunStatus }): ReactNode => (
  <Status tone={TONES[status]}>{RUN_STRINGS.status[status]}</Status>
)
