/** What the package.json of a plugin of this clone says of it. */
export interface Listed {
  readonly name: string
  readonly optIn?: boolean
  readonly capabilities?: {
    readonly provides?: readonly string[]
    readonly adds?: readonly string[]
  }
}
export declare const TABLE: string
export declare function listPlugins(root: string): string[]
export declare function pluginsOf(root: string): readonly Listed[]
export declare function tableOf(plugins: readonly Listed[]): string
