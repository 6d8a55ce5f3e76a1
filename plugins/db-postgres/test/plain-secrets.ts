import { definePlugin, err, failure, ok, Secrets, use, type Entry } from '@amodal/sdk'

/** Secrets from a record: what an embedding would hand in. */
export function plainSecrets(variables: Readonly<Record<string, string>> = {}): Entry {
  const secrets: Secrets = {
    get: (name) => variables[name],
    resolve(text, where) {
      if (!text.startsWith('env:')) return ok(text)
      const value = variables[text.slice(4)]
      return value === undefined
        ? err(failure('ENV_NOT_SET', `${text.slice(4)} is not set, needed by ${where}`))
        : ok(value)
    },
    load: () => [],
    values: () => Object.values(variables),
    protect: () => () => undefined,
    mask: (text) =>
      Object.values(variables).reduce((shown, value) => shown.replaceAll(value, '[MASKED]'), text),
  }
  return use(
    definePlugin({
      name: 'plain-secrets',
      version: '1.0.0',
      provides: [Secrets],
      setup: ({ provide }) => provide(Secrets, () => secrets),
    }),
  )
}
