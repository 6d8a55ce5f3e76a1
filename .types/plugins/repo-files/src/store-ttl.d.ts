import { type StoreDefinition, type StoreTtlRule } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
interface Conditional {
    readonly override: readonly {
        readonly condition: string;
        readonly ttl: number;
    }[];
}
/** Reads the conditions of `ttl_conditional`. */
export declare function readTtlRules({ override }: Conditional, entity: StoreDefinition['entity'], json: JsonFile, issues: Issues): readonly StoreTtlRule[];
export {};
