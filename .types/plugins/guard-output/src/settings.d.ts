import { z } from 'zod';
declare const action: z.ZodEnum<{
    block: "block";
    redact: "redact";
    warn: "warn";
}>;
/** `block`: the text does not leave. `redact`: a mark in place of what was found. `warn`: it leaves, and the reader is told. */
export type Action = z.output<typeof action>;
export declare const settings: z.ZodObject<{
    fields: z.ZodDefault<z.ZodEnum<{
        block: "block";
        redact: "redact";
        warn: "warn";
    }>>;
    patterns: z.ZodDefault<z.ZodEnum<{
        block: "block";
        redact: "redact";
        warn: "warn";
    }>>;
    kinds: z.ZodDefault<z.ZodArray<z.ZodEnum<{
        bank_account: "bank_account";
        card: "card";
        iban: "iban";
        ssn: "ssn";
    }>>>;
    own: z.ZodDefault<z.ZodArray<z.ZodEnum<{
        bank_account: "bank_account";
        card: "card";
        iban: "iban";
        ssn: "ssn";
    }>>>;
    leaks: z.ZodDefault<z.ZodEnum<{
        block: "block";
        redact: "redact";
        warn: "warn";
    }>>;
    scope: z.ZodDefault<z.ZodEnum<{
        label: "label";
        off: "off";
        warn: "warn";
    }>>;
    links: z.ZodDefault<z.ZodEnum<{
        keep: "keep";
        remove: "remove";
    }>>;
    hosts: z.ZodDefault<z.ZodArray<z.ZodString>>;
    image_hosts: z.ZodDefault<z.ZodArray<z.ZodString>>;
    budget: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export type Settings = z.output<typeof settings>;
export {};
