import {
  bail,
  defineHook,
  definePlugin,
  kernelHooks,
  Log,
  registry,
  slot,
  type Logger,
  type Plugin,
  type TurnContext,
} from '../src/index.ts'

export interface Named {
  readonly name: string
}
export const Store = slot.kernel<Named>('store')
export const Words = registry<string>('words')
export const Drain = defineHook('kernel.drain', kernelHooks<TurnContext>().kernel.drain)
export const Guard = defineHook('test.guard', bail<[], object>({ onError: 'fail', guards: true }))

export function logPlugin(log: Logger): Plugin {
  return definePlugin({
    name: 'log',
    version: '1.0.0',
    provides: [Log],
    setup: ({ provide }) => provide(Log, () => log),
  })
}
