import { Static, Text, useApp, useCursor, useInput, usePaste, type SuspendTerminal } from 'ink'
import { createElement, Fragment, useSyncExternalStore, type ReactNode } from 'react'
import { intentsOf } from '../input/keys.ts'
import type { ChatInput } from './chat-input.ts'
import type { LivePart } from './live-part.ts'
import type { Block } from './scrollback.ts'

/** A frame: what goes into the scrollback, and the part that changes. */
export interface Frame {
  readonly blocks: readonly Block[]
  readonly live: LivePart
}

export interface ChatAppProps {
  readonly subscribe: (listener: () => void) => () => void
  readonly frame: () => Frame
  readonly input: ChatInput
  /** Called with each key, before it is handled. */
  readonly onKey: (suspend: SuspendTerminal) => void
  readonly onHandled: () => void
}

/** Draws frames, and hands keys on. */
export function ChatApp({ subscribe, frame, input, onKey, onHandled }: ChatAppProps): ReactNode {
  const { blocks, live } = useSyncExternalStore(subscribe, frame)
  const { suspendTerminal } = useApp()
  const { setCursorPosition } = useCursor()
  setCursorPosition(live.cursor)
  useInput((text, key) => {
    onKey(suspendTerminal)
    for (const intent of intentsOf(text, key)) input.press(intent)
    onHandled()
  })
  usePaste((text) => {
    input.paste(text)
    onHandled()
  })
  return createElement(
    Fragment,
    null,
    createElement(Static<Block>, {
      items: [...blocks],
      children: ({ key, text }) => createElement(Text, { key }, text),
    }),
    createElement(Text, null, live.lines.join('\n')),
  )
}
