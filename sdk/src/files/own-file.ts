import { constants } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { messageOf, tryAsync } from '@amodal/kernel'

/** Where a folder lies: what is mounted into it lies elsewhere. */
export interface Mounted {
  readonly by: 'mount' | 'device'
  readonly id: string
}

export type OwnFile =
  | { readonly kind: 'read'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'large'; readonly size: number }
  /** Somebody else's, by whatever name it stands here. */
  | { readonly kind: 'elsewhere'; readonly why: string; readonly fix: string }

/**
 * What a folder is told from other mounts by. Devices do not tell mounts of one disk apart, and
 * layers of a container have several in one mount, so they count only where the system has no
 * numbers of mounts.
 *
 * @param folder a real path
 */
export async function mountOf(folder: string): Promise<Mounted> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    return await mountedAt(handle)
  } finally {
    await handle.close()
  }
}

/**
 * Reads a file of a folder, where it is the folder's alone. One with a second name (a hard link)
 * may be anybody's: where the others stand cannot be seen. What is mounted into the folder lies
 * elsewhere, as what a link leads to does. Looked at and read is one open file, so that nothing can
 * be put in its place in between.
 *
 * @param root of the folder, by {@link mountOf}; `undefined`: wherever it lies
 * @param file a real path in it
 * @param most bytes
 * @returns throws what `open` and `read` throw
 */
export async function readOwnFile(
  root: Mounted | undefined,
  file: string,
  most: number,
  signal?: AbortSignal,
): Promise<OwnFile> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size, nlink } = await handle.stat()
    if (root && nlink > 1)
      return {
        kind: 'elsewhere',
        why: 'the file has a second name (a hard link), which may stand anywhere, and is not read',
        fix: 'copy it, and put the copy in its place',
      }
    if (root && isElsewhere(root, await mountedAt(handle)))
      return {
        kind: 'elsewhere',
        why: 'the file lies in something that is mounted into the agent folder, and is not read',
        fix: 'copy it into the folder, or mount the folder as a whole',
      }
    return size > most
      ? { kind: 'large', size }
      : { kind: 'read', bytes: await handle.readFile({ signal }) }
  } finally {
    await handle.close()
  }
}

/** Whether something is mounted differently from the folder that it should be a part of. */
export const isElsewhere = (root: Mounted, there: Mounted): boolean =>
  root.by !== there.by || root.id !== there.id

async function mountedAt(handle: FileHandle): Promise<Mounted> {
  const info = await tryAsync(() => readFile(`/proc/self/fdinfo/${handle.fd}`, 'utf8'), messageOf)
  const id = info.ok ? /^mnt_id:\s+(\d+)$/m.exec(info.value)?.[1] : undefined
  return id === undefined
    ? { by: 'device', id: String((await handle.stat()).dev) }
    : { by: 'mount', id }
}
