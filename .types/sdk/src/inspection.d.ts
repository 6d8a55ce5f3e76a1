import type { Inspector } from '@amodal/kernel';
/** What a kernel is made of and how it fares: plain JSON, safe to show. */
export type Inspection = ReturnType<typeof inspectionOf>;
/** `instead`: the plugin whose entry it overrides. */
interface InspectedEntry {
    readonly key: string;
    readonly plugin: string;
    readonly instead?: string;
}
/**
 * Makes plain JSON of what a kernel is made of, for people and tools. Secrets and values from the environment are masked.
 *
 * @param kernel a kernel, or the `Inspector` that a plugin requires
 * @example
 * const { plugins } = inspectionOf(kernel)
 * console.log(plugins.map(({ name, why }) => `${name}: ${why}`).join('\n'))
 */
export declare function inspectionOf(kernel: Inspector): {
    generation: number;
    runner: "plain" | "tapable";
    held: number;
    plugins: {
        name: string;
        plugin?: string;
        version: string;
        source?: string;
        order: number;
        why: string;
        state: "down" | "new" | "running" | "set up";
        reload: "exclusive" | "restart" | "swap";
        setupMs: number;
        trusted: boolean;
        optional: boolean;
        config: unknown;
    }[];
    slots: {
        id: string;
        scope: import("@amodal/kernel").ScopeKind;
        provider: string;
        decorators: readonly string[];
        made?: boolean;
    }[];
    registries: readonly {
        readonly id: string;
        readonly entries: readonly InspectedEntry[];
    }[];
    hooks: {
        name: string;
        kind: import("@amodal/kernel").HookKind;
        onError: "fail" | "skip";
        timeoutMs?: number;
        taps: {
            calls: number;
            errors: number;
            pending: number;
            plugin: string;
            stage: "early" | "first" | "guard" | "last" | "late" | "normal" | "seal";
            ms: number;
        }[];
    }[];
    edges: readonly import("@amodal/kernel").PlanEdge[];
    warnings: readonly string[];
    errors: import("@amodal/kernel").RecordedError[];
    changes: {
        readonly hook: string;
        readonly plugin: string;
        readonly changed: readonly string[];
    }[];
};
export {};
