import { openSync } from 'node:fs'
import { isatty } from 'node:tty'
import sonicBoom from 'sonic-boom'

/** Where lines go. */
export type Target =
  | 'stderr'
  | 'stdout'
  | { readonly file: string }
  | { readonly write: (line: string) => void }

/** An open target. */
export interface Outlet {
  readonly colored: boolean
  write(line: string): void
  /** Writes pending lines before it returns, so that a process that dies next has logged why. */
  flush(): void
  close(): Promise<void>
}

const FILES = { stdout: 1, stderr: 2 } as const

/** Opens a target. Throws where a file cannot be written. */
export function openTarget(target: Target): Outlet {
  if (typeof target === 'object' && 'write' in target) {
    return {
      colored: false,
      write: target.write,
      flush: () => undefined,
      close: async () => undefined,
    }
  }
  const fd = typeof target === 'string' ? FILES[target] : openSync(target.file, 'a', 0o600)
  const stream = new sonicBoom.SonicBoom({ fd, sync: false })
  let open = true
  stream.on('error', () => {
    open = false
  }) // the terminal is gone or the disk is full: there is nowhere left to report it
  return {
    colored: isatty(fd),
    write: (line) => {
      if (open) stream.write(line)
    },
    flush: () => {
      try {
        if (open) stream.flushSync()
      } catch {
        // As above; a log must not stop the process that it logs.
      }
    },
    close: () =>
      new Promise((resolve) => {
        if (!open) return resolve()
        open = false
        stream.once('close', () => resolve())
        stream.end()
      }),
  }
}
