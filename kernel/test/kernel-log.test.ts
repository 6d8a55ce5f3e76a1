import { describe, expect, test } from 'vitest'
import { use, without } from '../src/index.ts'
import { keepingLogger, kernelWith, plugin } from './helpers.ts'
import { Drain, logPlugin } from './lifecycle-fixtures.ts'

describe('the log', () => {
  test('lines name the plugin; those written in setup are buffered until there is a log', async () => {
    const log = keepingLogger()
    await kernelWith([
      use(
        plugin('early', (k) => {
          k.log.info('set up', { size: 1 })
          k.log.child({ part: 'x' }).debug('deeper')
          k.onBoot(() => k.log.warn('booted'))
        }),
      ),
      use(logPlugin(log)),
    ])
    expect(log.lines).toEqual([
      { level: 'info', event: 'set up', data: { plugin: 'early', size: 1 } },
      { level: 'debug', event: 'deeper', data: { plugin: 'early', part: 'x' } },
      { level: 'warn', event: 'booted', data: { plugin: 'early' } },
    ])
  })

  test('without one, nothing is written and nothing breaks', async () => {
    await kernelWith([
      use(
        plugin('talker', (k) => {
          k.log.error('into the void')
          k.onBoot(() => k.log.info('still'))
        }),
      ),
    ])
  })

  test('failures of plugins and unsafe choices are logged', async () => {
    const log = keepingLogger()
    const kernel = await kernelWith(
      [
        use(logPlugin(log)),
        use(plugin('guard', () => undefined)),
        without('guard', { unsafe: true }),
        use(
          plugin('bad', ({ tap }) =>
            tap(Drain, () => {
              throw new Error('busy')
            }),
          ),
        ),
      ],
      { pinned: ['guard'] },
    )
    expect(log.lines).toEqual([
      {
        level: 'warn',
        event: 'kernel.unsafe',
        data: { message: 'guard is pinned and was taken out with `unsafe: true`' },
      },
    ])
    await kernel.drain('test')
    expect(log.lines[1]).toMatchObject({
      level: 'error',
      event: 'plugin.failed',
      data: { plugin: 'bad', where: 'kernel.drain' },
    })
  })
})
