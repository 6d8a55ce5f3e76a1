import { definePlugin, SessionStore } from '@amodal/sdk'

/** Its server is killed between the archive of a session and its deletion. */
export default definePlugin({
  name: 'dying',
  version: '1.0.0',
  decorates: [SessionStore],
  setup({ decorate }) {
    decorate(
      SessionStore,
      (inner) =>
        new Proxy(inner, {
          get(store, name) {
            if (name === 'expire')
              return () => {
                process.kill(process.pid, 'SIGKILL')
                return new Promise(() => undefined)
              }
            const value: unknown = Reflect.get(store, name, store)
            return typeof value === 'function' ? value.bind(store) : value
          },
        }),
    )
  },
})
