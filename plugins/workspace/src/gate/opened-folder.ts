import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** A component of a path is a link, a mount, or was exchanged while it was used. */
export class UnsafePath extends Error {
  override readonly name = 'UnsafePath'
}

/**
 * How a folder addresses its entries: `descriptor` goes through the open file descriptor, so that a
 * folder that is exchanged for a link meanwhile changes nothing; `checked` is for systems without
 * `/proc`, and compares the folder before and after each use.
 */
export type Addressing = 'descriptor' | 'checked'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** What an open of a link with `O_NOFOLLOW` gives. */
const IS_LINK: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK'])

/** One open folder of a workspace. No operation on its entries follows a link. */
export class OpenedFolder {
  readonly #handle: FileHandle
  readonly #path: string
  readonly #identity: BigIntStats
  readonly #addressing: Addressing

  private constructor(
    handle: FileHandle,
    path: string,
    identity: BigIntStats,
    addressing: Addressing,
  ) {
    this.#handle = handle
    this.#path = path
    this.#identity = identity
    this.#addressing = addressing
  }

  /** @param path an absolute path that the server chose; its last component must not be a link */
  static async open(path: string, addressing: Addressing): Promise<OpenedFolder> {
    return OpenedFolder.#opened(path, path, addressing)
  }

  /** @throws UnsafePath where the entry is a link, or a mount of another file system */
  async folder(name: string): Promise<OpenedFolder> {
    const path = join(this.#path, name)
    const child = await OpenedFolder.#opened(this.entry(name), path, this.#addressing)
    if (child.#identity.dev === this.#identity.dev) {
      await this.verify()
      return child
    }
    await child.close()
    throw new UnsafePath('is another file system')
  }

  /** A path of an entry, for calls that do not follow a link in its last component. */
  entry(name: string): string {
    return this.#addressing === 'descriptor' ? `${this.own()}/${name}` : join(this.#path, name)
  }

  /** A path of the folder itself, to list it. */
  own(): string {
    return this.#addressing === 'descriptor' ? `/proc/self/fd/${this.#handle.fd}` : this.#path
  }

  /** The identity of the file system, which all files of a workspace share. */
  get device(): bigint {
    return this.#identity.dev
  }

  /** @throws UnsafePath where the folder was exchanged since it was opened */
  async verify(): Promise<void> {
    if (this.#addressing === 'descriptor') return
    const current = await lstat(this.#path, { bigint: true })
    if (!isSame(current, this.#identity)) throw new UnsafePath('was exchanged while it was used')
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  static async #opened(
    address: string,
    path: string,
    addressing: Addressing,
  ): Promise<OpenedFolder> {
    const before = await lstat(address, { bigint: true })
    if (before.isSymbolicLink()) throw new UnsafePath('is a link')
    const handle = await openUnlinked(address, FOLDER)
    try {
      const identity = await handle.stat({ bigint: true })
      if (!isSame(before, identity)) throw new UnsafePath('was exchanged while it was opened')
      return new OpenedFolder(handle, path, identity, addressing)
    } catch (cause) {
      await handle.close()
      throw cause
    }
  }
}

/** Opens without following a link in the last component. */
export async function openUnlinked(
  address: string,
  flags: number,
  mode?: number,
): Promise<FileHandle> {
  try {
    return await open(address, flags | constants.O_NOFOLLOW, mode)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && IS_LINK.has(cause.code))
      throw new UnsafePath('is a link', { cause })
    throw cause
  }
}

const isSame = (a: BigIntStats, b: BigIntStats): boolean => a.dev === b.dev && a.ino === b.ino
