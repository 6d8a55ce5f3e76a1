import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { tryAsync, type BundleFile } from '@amodal/sdk'
import { digestOf, type Sources } from './digest.ts'

/**
 * Code as it was loaded, for tools whose files have changed since, such as during an edit. It is
 * written to a temporary folder from the bundle, and used only if it is identical to the byte.
 */
export class LoadedCode {
  readonly #folders = new Map<string, Promise<string | undefined>>()

  /**
   * A folder to run it from in place of the agent's; `undefined` where its texts are not all that
   * it was made of.
   */
  folder(
    digest: string,
    sources: Sources,
    files: readonly BundleFile[],
  ): Promise<string | undefined> {
    const known = this.#folders.get(digest)
    if (known) return known
    const made = this.#make(digest, sources, files)
    this.#folders.set(digest, made)
    return made
  }

  /** Removes code that no tool in use needs. */
  async keep(digests: ReadonlySet<string>): Promise<void> {
    await Promise.all(
      [...this.#folders]
        .filter(([digest]) => !digests.has(digest))
        .map(async ([digest, folder]) => {
          this.#folders.delete(digest)
          await remove(await folder)
        }),
    )
  }

  close(): Promise<void> {
    return this.keep(new Set())
  }

  async #make(
    digest: string,
    { root, paths }: Sources,
    files: readonly BundleFile[],
  ): Promise<string | undefined> {
    const dir = await tryAsync(
      () => mkdtemp(join(tmpdir(), 'amodal-tool-')),
      () => undefined,
    )
    if (!dir.ok) return undefined
    const made = await tryAsync(
      async () => {
        for (const { path, text } of files.filter((file) =>
          paths.some((one) => file.path === one || file.path.startsWith(`${one}/`)),
        )) {
          await mkdir(dirname(join(dir.value, path)), { recursive: true })
          await writeFile(join(dir.value, path), text)
        }
        return digestOf({ root: dir.value, paths })
      },
      () => undefined,
    )
    if (made.ok && made.value.ok && made.value.value === digest) {
      // What is installed is no part of the code, and stays where it is.
      await Promise.all(
        paths.map((path) =>
          symlink(join(root, path, 'node_modules'), join(dir.value, path, 'node_modules')).catch(
            () => undefined,
          ),
        ),
      )
      return dir.value
    }
    await remove(dir.value)
    return undefined
  }
}

const remove = async (dir: string | undefined): Promise<void> => {
  if (dir !== undefined) await rm(dir, { recursive: true, force: true })
}
