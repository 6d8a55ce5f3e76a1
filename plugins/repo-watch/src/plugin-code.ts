import { basename, dirname, relative, resolve } from 'node:path'
import { isList, isObject, messageOf, type AgentBundle, type Json, type Logger } from '@amodal/sdk'
import { FolderWatch } from './folder-watch.ts'

const CODE = /\.(?:[cm]?[jt]sx?|json)$/

/** A folder, and what counts in it. */
interface Place {
  readonly folder: string
  readonly entry: string
}

/**
 * Watches the files of plugins that an agent names by their paths. Their code is loaded once, so an
 * edit counts from the next start, which is said where people look.
 */
export class PluginCode {
  readonly #root: string
  readonly #log: Logger
  readonly #changed = new Set<string>()
  #watches: readonly FolderWatch[] = []
  #places = ''

  /** @param root of the agent's files, absolute */
  constructor(root: string, log: Logger) {
    this.#root = root
    this.#log = log
  }

  /** What was edited since the start, for whoever looks at the health of the server. */
  get problem(): string | undefined {
    return this.#changed.size === 0
      ? undefined
      : `${[...this.#changed].join(', ')} changed since the start: start the server again to run it`
  }

  /** Watches the plugins that these files name, and no others. */
  async follow({ manifest }: AgentBundle): Promise<void> {
    const places = placesOf(this.#root, manifest.raw['plugins'])
    if (JSON.stringify(places) !== this.#places) {
      this.#places = JSON.stringify(places)
      this.close()
      this.#watches = places.map(
        ({ folder, entry }) =>
          new FolderWatch(folder, [entry], {
            changed: (path) => this.#change(folder, path),
            failed: (cause) => this.#log.warn('plugins.unwatched', { message: messageOf(cause) }),
          }),
      )
    }
    await Promise.all(this.#watches.map((watch) => watch.follow()))
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
    this.#watches = []
  }

  #change(folder: string, path: string | undefined): void {
    if (path === undefined || !CODE.test(path)) return
    const name = relative(this.#root, resolve(folder, path))
    if (this.#changed.has(name)) return
    this.#changed.add(name)
    this.#log.warn('plugins.changed', {
      path: name,
      message: 'plugins run as they were loaded: start the server again to run this',
    })
  }
}

/** The folder of each plugin that is named by a path; of one beside amodal.json only its file. */
function placesOf(root: string, listed: Json | undefined): readonly Place[] {
  const places = (isList(listed) ? listed : []).flatMap((item) => {
    const source = sourceOf(item)
    if (typeof source !== 'string' || !/^\.{1,2}\//.test(source)) return []
    const file = resolve(root, source)
    const folder = dirname(file)
    return [
      folder === resolve(root)
        ? { folder, entry: basename(file) }
        : { folder: dirname(folder), entry: basename(folder) },
    ]
  })
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()]
}

function sourceOf(item: Json): Json | undefined {
  if (isList(item)) return item[0]
  return isObject(item) ? item['use'] : item
}
