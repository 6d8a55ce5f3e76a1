import {
  Ban,
  Bot,
  Check,
  CircleHelp,
  CircleSlash,
  CircleStop,
  Cpu,
  Flag,
  Hourglass,
  LifeBuoy,
  LoaderCircle,
  MessageSquare,
  Minimize2,
  Shield,
  SlidersHorizontal,
  StickyNote,
  UserCheck,
  Wrench,
  X,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { TraceKind, TraceStatus } from '../../model/trace.ts'
import { TRACE } from './trace-strings.ts'

const KINDS: Readonly<Record<TraceKind, LucideIcon>> = {
  message: MessageSquare,
  model: Cpu,
  tool: Wrench,
  approval: UserCheck,
  question: CircleHelp,
  agent: Bot,
  guard: Shield,
  state: SlidersHorizontal,
  compaction: Minimize2,
  recovery: LifeBuoy,
  note: StickyNote,
  end: Flag,
}

/** A shape of its own for each status: the colour is never alone. */
const STATUSES: Readonly<Record<TraceStatus, LucideIcon>> = {
  running: LoaderCircle,
  waiting: Hourglass,
  done: Check,
  failed: X,
  refused: Ban,
  unknown: CircleSlash,
  cancelled: CircleStop,
}

export function KindIcon({ kind }: { readonly kind: TraceKind }): ReactNode {
  const Drawing = KINDS[kind]
  return <Drawing className="icon" aria-hidden="true" />
}

export function StatusMark({
  status,
  words = false,
}: {
  readonly status: TraceStatus
  /** The word stands beside the sign. */
  readonly words?: boolean
}): ReactNode {
  const Drawing = STATUSES[status]
  const word = TRACE.status[status]
  return (
    <span className={`trace-status ${status}`} title={word}>
      <Drawing className="icon" aria-hidden="true" />
      <span className={words ? '' : 'trace-unseen'}>{word}</span>
    </span>
  )
}
