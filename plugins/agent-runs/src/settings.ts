import { z } from 'zod'
import { ProfileSettings } from './profile.ts'

const count = (otherwise: number, least = 1, most = 1_000_000) =>
  z.int().min(least).max(most).default(otherwise)

/** Configuration of `agent-runs`. */
export const Settings = z.strictObject({
  /** Profiles beside those of the agent's `agents/` folder. */
  profiles: z.array(ProfileSettings).default([]),
  /** Runs that this process works on at the same time. */
  concurrency: count(10, 1, 1_000),
  /** Runs of one tenant at the same time, on all processes together; no limit where left out. */
  perTenant: z.int().min(1).optional(),
  /** Characters of a task. */
  maxTaskChars: count(100_000),
  /** Seconds that a request with `async: false` waits at most. */
  waitSeconds: count(60, 1, 300),
  stream: z
    .strictObject({
      /** Seconds after which a stream ends with `timeout`. */
      seconds: count(600, 1, 86_400),
      /** ms between two `:ping` comments. */
      pingMs: count(15_000, 10),
      /** Streams of one principal in one process. */
      perPrincipal: count(50),
    })
    .prefault({}),
  /** Times that a whole run is tried again after a provider had no capacity left for it. */
  providerRetries: count(3, 0, 20),
  artifacts: z
    .strictObject({
      /** Bytes of one version. */
      bytes: count(1_000_000, 1, 50_000_000),
      /** Versions of one artifact. */
      versions: count(100),
      /** Seconds that a link to an artifact is good for at most. */
      linkSeconds: count(604_800, 1, 31_536_000),
      /** Origin of this server in links, such as `https://agents.example.com`. */
      publicUrl: z.url({ protocol: /^https?$/ }).optional(),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      /** Signs what is sent; `env:NAME` for a variable. Without it runs take no webhook. */
      secret: z.string().min(1).optional(),
      /** Origins that may be private addresses, such as `http://10.0.0.5:8080`. */
      privateOrigins: z.array(z.url()).default([]),
    })
    .prefault({}),
})
export type Settings = z.output<typeof Settings>
