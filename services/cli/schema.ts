/** Generated from docs/openapi.json by `muster openapi`; change the routes instead. */
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether everything that the API needs answers */
        get: operations["readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List teams by name */
        get: operations["listTeams"];
        put?: never;
        /** Create a team */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List jobs, newest first */
        get: operations["listJobs"];
        put?: never;
        /** Submit a job */
        post: operations["submitJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A waiting job ends at once; a placed one is told to stop and ends when its processes are gone. Repeating it changes nothing.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit an ended job again, as a new job */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a job */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attempts of a job with their members, newest first */
        get: operations["listAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Stored events of a job, in their order */
        get: operations["listJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            /** @description Stable URI of this kind of problem */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description Id of the request, as in X-Request-Id and the log */
            instance: string;
            /** @description Name from the registry of errors */
            code: string;
            /** @description Whether the same request can succeed later */
            retryable: boolean;
            remedy: string;
            errors: {
                /** @description JSON pointer to the field */
                pointer: string;
                detail: string;
            }[];
            /** @description Ids, limits and current values */
            context: {
                [key: string]: string | number | boolean | null;
            };
        };
        Readiness: {
            ready: boolean;
            parts: {
                name: string;
                ok: boolean;
                detail: string;
            }[];
        };
        Team: {
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
        };
        JobSpec: {
            /** @description Name of the team; `default` where absent */
            team?: string;
            /** @description For people; need not be unique */
            name: string;
            /** @description Program and arguments; no shell is added */
            argv: string[];
            /** @description Extra environment; MUSTER_*, RANK, WORLD_SIZE, LOCAL_RANK, MASTER_* and CUDA_VISIBLE_DEVICES are set by Muster and win */
            env?: {
                [key: string]: string;
            };
            /** @description Absolute path on the node */
            workingDirectory?: string;
            /**
             * @description Gang size: all start together or none
             * @default 1
             */
            members?: number;
            /**
             * @description Whole devices a member
             * @default 0
             */
            devicesPerMember?: number;
            /** @description Any of these models; absent or empty: any */
            deviceModels?: string[];
            /**
             * @description Thousandths of a core a member
             * @default 0
             */
            cpuMilli?: number;
            /**
             * @description Bytes a member, a decimal string
             * @default 0
             */
            memoryBytes?: string;
            /** @description Labels that a node must have */
            nodeSelector?: {
                [key: string]: string;
            };
            /** @description All members within one domain of this level */
            topology?: {
                level: "region" | "zone" | "pod" | "rack" | "nvlink" | "node";
                mode: "required" | "preferred";
            };
            /** @default normal */
            priorityClass?: "low" | "normal" | "high";
            /** @description Total RUNNING time over all attempts; then the job is stopped and FAILED */
            timeLimitSeconds?: number;
            /** @description A job that has not started by then is FAILED */
            queueDeadlineSeconds?: number;
            /** @default false */
            preemptible?: boolean;
            /**
             * @description Never two epochs at once, whatever it costs: for shared POSIX directories, licences, fixed addresses
             * @default false
             */
            exclusive?: boolean;
            /**
             * @description start: a member is ready when its process runs; signal: when it says so on MUSTER_CONTROL
             * @default start
             */
            readiness?: "start" | "signal";
            retry?: {
                /**
                 * @description Restarts after a member exited otherwise than 0, or by a signal not of ours
                 * @default 0
                 */
                userFailures?: number;
                /**
                 * @description Restarts after lost nodes, refused starts and start time-outs
                 * @default 10
                 */
                infrastructureFailures?: number;
                /**
                 * @description First back-off; doubles with each failure of the category
                 * @default 1
                 */
                backoffSeconds?: number;
                /** @default 300 */
                backoffMaxSeconds?: number;
            };
            checkpoint?: {
                /** @description Told to the program as MUSTER_CHECKPOINT_INTERVAL_SECONDS */
                intervalSeconds?: number;
                /**
                 * @description From SIGTERM to SIGKILL: time for a last save
                 * @default 30
                 */
                graceSeconds?: number;
            };
            labels?: {
                [key: string]: string;
            };
        };
        Job: {
            id: string;
            name: string;
            team: string;
            /** @enum {unknown} */
            state: "SUBMITTED" | "QUEUED" | "RESERVED" | "STARTING" | "RUNNING" | "LOST" | "VACATING" | "CANCELLING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "REJECTED";
            /** @description Why it is in this state, in a sentence */
            reason: string;
            /** @description Decimal string */
            version: string;
            /** @description Decimal string */
            epoch: string;
            members: {
                total: number;
                accepted: number;
                ready: number;
                gone: number;
            };
            attempts: number;
            budgets: {
                userFailures: {
                    used: number;
                    max: number;
                };
                infrastructureFailures: {
                    used: number;
                    max: number;
                };
            };
            preemptions: number;
            /** @description Why the scheduler has not placed it */
            waiting: {
                code: string;
                detail: string;
                /** @description RFC 3339 */
                since: string | null;
                /** @description How long this has been the reason */
                ageMs: number;
            } | null;
            /** @description RFC 3339 */
            notBefore: string | null;
            /** @description Last reported by rank 0 */
            progress: {
                /** @description Decimal string */
                step: string;
                totalSteps: string | null;
                message: string | null;
            } | null;
            /** @description What a restart gets */
            checkpoint: {
                /** @description null: commits exist and none can be read */
                id: string | null;
                /** @description Decimal string */
                epoch: string;
                /** @description Decimal string */
                step: string;
                /** @description RFC 3339 */
                committedAt: string | null;
            } | null;
            retryOf: string | null;
            /** Format: date-time */
            submittedAt: string;
            /** Format: date-time */
            stateSince: string;
            stateAgeMs: number;
            /** @description RFC 3339 */
            endedAt: string | null;
            spec: components["schemas"]["JobSpec"];
            links: {
                self: string;
                /** @description Supervision in the Temporal Web UI; null before the first placement */
                workflow: string | null;
                runbook: string;
            };
        };
        Attempt: {
            job: string;
            /** @description Decimal string */
            epoch: string;
            /** @description How it ended, or `OPEN` */
            state: string;
            endReason: string | null;
            /** @description Nothing of this epoch can be published any more */
            fenced: boolean;
            /** @description Checkpoint */
            resumedFrom: string | null;
            /** @description RFC 3339 */
            reservedAt: string | null;
            /** @description RFC 3339 */
            startingAt: string | null;
            /** @description RFC 3339 */
            runningAt: string | null;
            /** @description RFC 3339 */
            endedAt: string | null;
            members: {
                rank: number;
                /** @enum {unknown} */
                state: "ordered" | "accepted" | "ready" | "stopping" | "exited" | "gone" | "refused" | "proven dead";
                node: string;
                localRank: number;
                devices: number[];
                exitCode: number | null;
                signal: string | null;
                refusal: string | null;
                stopReason: string | null;
                detail: string | null;
                pid: number | null;
                progress: {
                    /** @description Decimal string */
                    step: string;
                    totalSteps: string | null;
                    message: string | null;
                } | null;
                /** @description RFC 3339 */
                acceptedAt: string | null;
                /** @description RFC 3339 */
                readyAt: string | null;
                /** @description RFC 3339 */
                goneAt: string | null;
            }[];
        };
        JobEvent: {
            /** @description Decimal string */
            pos: string;
            kind: string;
            /** @description Decimal string */
            version: string;
            /** Format: date-time */
            at: string;
            payload: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                    };
                };
            };
        };
    };
    readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Default Response */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: {
                /** @description Items a page; 50 where absent */
                page_size?: number;
                /** @description From next_page_token of the page before */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Team"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, undeclared_move, boot_unknown, credential_absent, team_exists, idempotency_in_flight, job_version_lost */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: idempotency_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description Repeatable: any of these */
                state?: ("SUBMITTED" | "QUEUED" | "RESERVED" | "STARTING" | "RUNNING" | "LOST" | "VACATING" | "CANCELLING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | "REJECTED")[];
                team?: string;
                name?: string;
                /** @description `key=value`, repeatable: all of these */
                label?: string[];
                /** @description Items a page; 50 where absent */
                page_size?: number;
                /** @description From next_page_token of the page before */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Job"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    submitJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobSpec"];
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, undeclared_move, boot_unknown, credential_absent, team_exists, idempotency_in_flight, job_version_lost */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: idempotency_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: queue_full */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id, `job_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One sentence for people */
                    reason?: string;
                    /** @description Refuse, where the job has another version */
                    ifVersion?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, undeclared_move, boot_unknown, credential_absent, team_exists, idempotency_in_flight, job_version_lost */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: version_mismatch */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: idempotency_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id, `job_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, undeclared_move, boot_unknown, credential_absent, team_exists, idempotency_in_flight, job_version_lost */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: idempotency_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: queue_full */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id, `job_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAttempts: {
        parameters: {
            query?: {
                /** @description Items a page; 50 where absent */
                page_size?: number;
                /** @description From next_page_token of the page before */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @description Id, `job_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Attempt"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobEvents: {
        parameters: {
            query?: {
                /** @description Items a page; 50 where absent */
                page_size?: number;
                /** @description From next_page_token of the page before */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @description Id, `job_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["JobEvent"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: body_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: too_many_streams, unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
