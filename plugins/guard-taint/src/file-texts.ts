import { type AssetStore, type Message, type RunContext, timeLimit } from '@amodal/sdk'
import { assetOf, isTextType } from '@amodal/sdk/loop'

/** ms for one file. */
const READ_MS = 5_000

type Run = Pick<RunContext, 'messages' | 'tenant' | 'signal'>

/** What text files of conversations say, read once in a run. */
export class FileTexts {
  readonly #assets: AssetStore | undefined
  readonly #maxChars: number
  readonly #known = new WeakMap<Run, Map<string, string>>()

  /** @param maxChars of one file */
  constructor(assets: AssetStore | undefined, maxChars: number) {
    this.#assets = assets
    this.#maxChars = maxChars
  }

  /** By the ids of the files; one that cannot be read is left out. */
  async of(run: Run): Promise<ReadonlyMap<string, string>> {
    const { messages, tenant, signal } = run
    const known = this.#known.get(run) ?? new Map<string, string>()
    this.#known.set(run, known)
    if (!this.#assets) return known
    for (const asset of textsIn(messages)) {
      if (known.has(asset)) continue
      const limit = timeLimit(READ_MS, 'reading a file of the conversation', signal)
      const read = await this.#assets.of(tenant).read(asset, limit)
      if (read.ok && read.value)
        known.set(asset, Buffer.from(read.value).toString('utf8').slice(0, this.#maxChars))
    }
    return known
  }
}

const textsIn = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      message.role === 'user'
        ? message.content.flatMap((part) => {
            const file = assetOf(part)
            return file && isTextType(file.mediaType) ? [file.asset] : []
          })
        : [],
    ),
  )
