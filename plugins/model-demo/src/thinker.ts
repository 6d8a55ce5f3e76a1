import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { answer } from './answer.ts'
import { Passages } from './passages.ts'
import type { DemoReply } from './demo-reply.ts'
import { readTool, readTurn, type Tool } from './turn.ts'

/** Produces the replies of the demo model, and caches the texts and tools that it has parsed. */
export class Thinker {
  readonly #notice: string
  readonly #tools = new WeakMap<object, Tool>()
  #indexed: { readonly text: string; readonly passages: Passages } | undefined

  /** @param notice one line, said at the beginning of each session */
  constructor(notice: string) {
    this.#notice = notice
  }

  think(options: LanguageModelV4CallOptions): DemoReply {
    const turn = readTurn(options.prompt)
    const known = (options.tools ?? []).flatMap((tool): readonly Tool[] => {
      if (tool.type !== 'function') return []
      const read = this.#tools.get(tool) ?? readTool(tool)
      this.#tools.set(tool, read)
      return [read]
    })
    const said = answer(
      turn,
      known,
      this.#passagesOf(turn.system),
      options.toolChoice?.type !== 'none',
    )
    return turn.first ? { ...said, text: `${this.#notice}\n\n${said.text}` } : said
  }

  #passagesOf(text: string): Passages {
    if (this.#indexed?.text !== text) this.#indexed = { text, passages: new Passages(text) }
    return this.#indexed.passages
  }
}
