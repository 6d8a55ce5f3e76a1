import type * as Csv from 'csv-parse/sync';
import type * as Html from 'htmlparser2';
import type * as Yaml from 'yaml';
export declare const csv: () => typeof Csv;
export declare const html: () => typeof Html;
export declare const yaml: () => typeof Yaml;
