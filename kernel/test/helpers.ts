import {
  definePlugin,
  explain,
  Kernel,
  type Entry,
  type KernelError,
  type KernelOptions,
  type Logger,
  type Plugin,
  type SetupApi,
  type Teardown,
} from '../src/index.ts'

export async function kernelWith(
  entries: readonly Entry[],
  options: KernelOptions = {},
): Promise<Kernel> {
  const created = await Kernel.create(entries, options)
  if (!created.ok) throw new Error(explain(created.error))
  return created.value
}

export async function refused(
  entries: readonly Entry[],
  options: KernelOptions = {},
): Promise<KernelError> {
  const created = await Kernel.create(entries, options)
  if (created.ok) throw new Error('the kernel was created')
  return created.error
}

export const plugin = (name: string, setup: (k: SetupApi) => void | Teardown): Plugin =>
  definePlugin({ name, version: '1.0.0', setup })

interface Line {
  readonly level: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A log that records its lines. */
export function keepingLogger(
  lines: Line[] = [],
  bound: Readonly<Record<string, unknown>> = {},
): Logger & { readonly lines: readonly Line[] } {
  const at =
    (level: string): Logger['info'] =>
    (event, data) => {
      lines.push({ level, event, data: { ...bound, ...data } })
    }
  return {
    lines,
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (data) => keepingLogger(lines, { ...bound, ...data }),
  }
}
