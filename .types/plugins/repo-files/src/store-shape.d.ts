import { z } from 'zod';
export declare const FIELD_TYPES: readonly ['string', 'number', 'boolean', 'datetime', 'enum', 'array', 'object', 'ref'];
export declare const STORE_FIELDS: string[];
export declare const storeShape: z.ZodObject<{
    name: z.ZodExactOptional<z.ZodString>;
    description: z.ZodExactOptional<z.ZodString>;
    entity: z.ZodObject<{
        name: z.ZodExactOptional<z.ZodString>;
        key: z.ZodString;
        schema: z.ZodRecord<z.ZodString, z.ZodObject<{
            type: z.ZodEnum<{
                array: "array";
                boolean: "boolean";
                datetime: "datetime";
                enum: "enum";
                number: "number";
                object: "object";
                ref: "ref";
                string: "string";
            }>;
            nullable: z.ZodExactOptional<z.ZodBoolean>;
            description: z.ZodExactOptional<z.ZodString>;
            min: z.ZodExactOptional<z.ZodNumber>;
            max: z.ZodExactOptional<z.ZodNumber>;
            values: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
            store: z.ZodExactOptional<z.ZodString>;
            item: z.ZodExactOptional<z.ZodObject</*elided*/ any, z.core.$loose>>;
            fields: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodObject</*elided*/ any, z.core.$loose>>>;
        }, z.core.$loose>>;
    }, z.core.$loose>;
    ttl: z.ZodExactOptional<z.ZodNumber>;
    ttl_conditional: z.ZodExactOptional<z.ZodObject<{
        default: z.ZodExactOptional<z.ZodNumber>;
        override: z.ZodDefault<z.ZodArray<z.ZodObject<{
            condition: z.ZodString;
            ttl: z.ZodNumber;
        }, z.core.$loose>>>;
    }, z.core.$loose>>;
    failure: z.ZodExactOptional<z.ZodObject<{
        mode: z.ZodDefault<z.ZodEnum<{
            "all-or-nothing": "all-or-nothing";
            partial: "partial";
            skip: "skip";
        }>>;
        retries: z.ZodExactOptional<z.ZodInt>;
        backoff: z.ZodExactOptional<z.ZodEnum<{
            exponential: "exponential";
            fixed: "fixed";
        }>>;
        deadLetter: z.ZodExactOptional<z.ZodBoolean>;
    }, z.core.$loose>>;
    history: z.ZodExactOptional<z.ZodObject<{
        versions: z.ZodInt;
    }, z.core.$loose>>;
    shared: z.ZodExactOptional<z.ZodBoolean>;
    trace: z.ZodExactOptional<z.ZodBoolean>;
}, z.core.$loose>;
