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
  /** Outside of the folder, although a name in the folder refers to it. */
  | { readonly kind: 'elsewhere'; readonly why: string; readonly fix: string }

/**
 * Identifies the mount of a folder. A device number does not distinguish several mounts of one
 * disk, and one mount of a container has several devices (layers), so the device is used only where
 * the system has no mount ids.
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
 * Reads a file that belongs to one folder alone. A file with another hard link is refused, since
 * the other folders cannot be determined. A mount inside the folder counts as outside, like the
 * target of a symbolic link. The file is checked and read through one open handle, so that it
 * cannot be replaced in between.
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
