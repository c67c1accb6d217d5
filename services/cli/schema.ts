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
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List organisations by name */
        get: operations["listOrgs"];
        put?: never;
        /** Create an organisation */
        post: operations["createOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description A service account with a role on a team, an organisation or the cluster. Nobody can hand on more than he may himself.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an API key */
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an API key another secret
         * @description The secret of now stays valid for the overlap; one left from an earlier rotation ends.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End an API key */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List role bindings */
        get: operations["listBindings"];
        put?: never;
        /**
         * Give a principal a role
         * @description On a team, an organisation or the cluster, in place of the role that it has there. Nobody can hand on more than he may himself.
         */
        post: operations["bindRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bindings/{binding}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a role away */
        delete: operations["unbindRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the names of a team's secrets */
        get: operations["listSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{team}/secrets/{secret}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put a secret for the jobs of a team
         * @description Jobs name it in `secrets`; only the agent that starts a member gets the value, into the member's environment.
         */
        put: operations["putSecret"];
        post?: never;
        /** Delete a secret */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs:batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit many jobs
         * @description At most 1000 jobs, each with its own verdict: a refused one leaves the others alone. With an Idempotency-Key a repetition gets the same verdicts and the same ids.
         */
        post: operations["submitJobs"];
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
        /**
         * Change labels, priority or time limit of a job
         * @description Labels at any time; the priority while the job waits; the time limit until its end, but once placed it can only grow. Needs If-Match with the ETag of GET /v1/jobs/{job}.
         */
        patch: operations["patchJob"];
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
    "/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List nodes by name */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a node */
        get: operations["getNode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/cordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep new work away from a node; what runs goes on */
        post: operations["cordonNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/uncordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lift an operator's cordon
         * @description A cordon that a fence set stays until the processes are proven gone.
         */
        post: operations["uncordonNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Empty a node
         * @description Cordons it and has its jobs stop after a last save; they wait for another place and keep their turn. It stays cordoned.
         */
        post: operations["drainNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enrolment-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a token that lets one node in, once */
        post: operations["createEnrolmentToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a node's credential
         * @description Its beats and calls are refused from now on; what runs goes on until its jobs are fenced. A new token that names the node lets it in again.
         */
        post: operations["revokeNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/rotate-credential": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a node replace its credential
         * @description Its agent makes a new secret, stores it, and takes it into use over the connection that it has; the old one ends with the first beat of the new one. Members run on. For a credential that may be in wrong hands revoke it and enrol the node again.
         */
        post: operations["rotateNodeCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/confirm-terminated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm that a boot of a node is over
         * @description Frees what its members hold and fences their epochs. Say so only of a machine that is surely off: its devices are given to others, and the boot never takes work again.
         */
        post: operations["confirmNodeTerminated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a job's checkpoints, newest first */
        get: operations["listCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/checkpoints/{checkpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a checkpoint with its files */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read or follow what the members of a job print
         * @description Logs outlive the node. Bytes that are no text are shown as U+FFFD, control characters as \x1b and the like.
         */
        get: operations["readJobLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events
         * @description Without `Last-Event-ID` or `after`: from now on. With it: everything after that position, without gap or repetition. `410 gone`, when that part is no longer kept.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events that a consumer could not handle, newest first */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/{id}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have its consumer handle a dead letter again
         * @description Its state becomes REDRIVEN, then HANDLED, or DEAD again with the new error. Repeating it while it waits changes nothing.
         */
        post: operations["redriveDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List operations, newest first */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an operation, or wait for its end */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log, newest first
         * @description What is written meanwhile comes before the first page, so pages neither repeat nor skip.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fleet, queue, jobs and lag in numbers */
        get: operations["overview"];
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
            /** @description Name of its organisation */
            org: string;
            /** Format: date-time */
            createdAt: string;
        };
        Org: {
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
        };
        ApiKey: {
            id: string;
            name: string;
            /** @description They narrow its roles; `*`: not at all */
            scopes: string[];
            /** @description Team whose admins own it */
            team: string | null;
            /** @description Organisation whose admins own it; null as well: the cluster */
            org: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Key or subject that made it */
            createdBy: string | null;
            /**
             * Format: date-time
             * @description null: never
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Last rotation
             */
            rotatedAt: string | null;
            /**
             * Format: date-time
             * @description The secret before the last rotation is valid until then; null: no longer
             */
            previousValidUntil: string | null;
            /**
             * Format: date-time
             * @description To the minute
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description null: in force
             */
            revokedAt: string | null;
        };
        NewApiKey: {
            id: string;
            name: string;
            /** @description They narrow its roles; `*`: not at all */
            scopes: string[];
            /** @description Team whose admins own it */
            team: string | null;
            /** @description Organisation whose admins own it; null as well: the cluster */
            org: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Key or subject that made it */
            createdBy: string | null;
            /**
             * Format: date-time
             * @description null: never
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Last rotation
             */
            rotatedAt: string | null;
            /**
             * Format: date-time
             * @description The secret before the last rotation is valid until then; null: no longer
             */
            previousValidUntil: string | null;
            /**
             * Format: date-time
             * @description To the minute
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description null: in force
             */
            revokedAt: string | null;
            /** @description Shown once; only its hash is stored */
            key: string;
        };
        RoleBinding: {
            id: string;
            /** @enum {unknown} */
            role: "viewer" | "member" | "operator" | "admin";
            principal: {
                /** @enum {unknown} */
                kind: "key" | "subject" | "group";
                id: string;
                /** @description Of a subject or group */
                issuer: string | null;
            };
            /** @description The team that it is bound to */
            team: string | null;
            /** @description The organisation that it is bound to; null as well: the cluster */
            org: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Key or subject that made it */
            createdBy: string | null;
        };
        Secret: {
            name: string;
            /** @description +1 with each value */
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            changedAt: string;
            changedBy: string | null;
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
            /** @description Variable → name of a secret of the team; the value goes into the members' environment and nowhere else */
            secrets?: {
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
        Batch: {
            accepted: number;
            refused: number;
            /** @description One a job, in their order */
            items: {
                /** @description As POST /v1/jobs would have answered */
                status: number;
                /** @description Of the job; null where it is refused */
                id: string | null;
                problem: components["schemas"]["Problem"] | null;
            }[];
        };
        Node: {
            name: string;
            /** @enum {unknown} */
            state: "LIVE" | "UNKNOWN" | "DEAD";
            version: string;
            /** @description Takes new work */
            schedulable: boolean;
            /** @description Why it takes no new work; empty where it does */
            obstacles: {
                code: string;
                detail: string;
            }[];
            bootId: string | null;
            address: string | null;
            hostname: string | null;
            agentVersion: string | null;
            checkpointReach: string | null;
            /** @description Since its last heartbeat */
            heardAgoMs: number | null;
            /** @description Until silence makes it UNKNOWN; negative once it is over */
            leaseLeftMs: number | null;
            cpuMilli: number;
            cpuUsedMilli: number;
            memoryBytes: string;
            memoryUsedBytes: string;
            topology: {
                [key: string]: string;
            };
            labels: {
                [key: string]: string;
            };
            devices: {
                index: number;
                model: string;
                uuid: string;
                memoryBytes: string;
                /** @description ok, degraded or failed */
                health: string;
                /** @description Thousandths that are allocated; 1000 is the whole device */
                usedMilli: number;
            }[];
            /** @description Members of jobs that are not gone */
            members: {
                job: string;
                epoch: string;
                rank: number;
                devices: number[];
                /** @description ordered, accepted, ready or stopping */
                state: string;
            }[];
            links: {
                self: string;
            };
        };
        Drain: {
            dryRun: boolean;
            /** @description That were on the node */
            jobs: string[];
            /** @description Over when no member is left; null for a dry run */
            operation: components["schemas"]["Operation"] | null;
        };
        EnrolmentToken: {
            id: string;
            /** @description Shown once; only its hash is stored */
            token: string;
            /** @description The only node that may use it; null: any name that was never enrolled */
            node: string | null;
            /** Format: date-time */
            expiresAt: string;
        };
        Termination: {
            node: string;
            bootId: string;
            dryRun: boolean;
            membersGone: {
                job: string;
                epoch: string;
                rank: number;
            }[];
        };
        Checkpoint: {
            id: string;
            job: string;
            epoch: string;
            step: string;
            /** @enum {string} */
            state: "COMMITTED" | "BAD";
            /** @description What an agent found when it was to start from it */
            badReason: string | null;
            /** @description A restart begins here */
            isCurrent: boolean;
            /** @description Relative to the checkpoint root */
            dir: string;
            /**
             * @description node: only the nodes named here can read it
             * @enum {string}
             */
            reach: "node" | "shared";
            nodes: string[];
            shards: number;
            bytes: string;
            layout: {
                [key: string]: unknown;
            };
            dataPosition: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            committedAt: string;
        };
        CheckpointWithFiles: {
            id: string;
            job: string;
            epoch: string;
            step: string;
            /** @enum {string} */
            state: "COMMITTED" | "BAD";
            /** @description What an agent found when it was to start from it */
            badReason: string | null;
            /** @description A restart begins here */
            isCurrent: boolean;
            /** @description Relative to the checkpoint root */
            dir: string;
            /**
             * @description node: only the nodes named here can read it
             * @enum {string}
             */
            reach: "node" | "shared";
            nodes: string[];
            shards: number;
            bytes: string;
            layout: {
                [key: string]: unknown;
            };
            dataPosition: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            committedAt: string;
            /** @description Of the newest checkpoints only; empty where they are no longer kept */
            files: {
                rank: number;
                node: string;
                path: string;
                bytes: string;
                sha256: string;
            }[];
        };
        Event: {
            pos: string;
            /** @description `job/<id>`, `node/<name>` …: order is kept per key */
            key: string;
            kind: string;
            version: string;
            /** Format: date-time */
            at: string;
            payload: {
                [key: string]: unknown;
            };
        };
        DeadLetter: {
            id: string;
            consumer: string;
            /** @description DEAD · REDRIVEN: waits for its consumer · HANDLED */
            state: string;
            /** @description Of the last try */
            error: string;
            deliveries: number;
            pos: string;
            key: string;
            kind: string;
            version: string;
            payload: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            redrivenAt: string | null;
        };
        Operation: {
            id: string;
            /** @enum {unknown} */
            kind: "job.cancel" | "node.drain";
            /** @description `job/<id>`, `node/<name>` */
            target: string;
            /** @enum {unknown} */
            state: "RUNNING" | "SUCCEEDED" | "FAILED";
            /** @description Why it failed */
            detail: string | null;
            /** @description For people */
            reason: string | null;
            actor: string;
            requestId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description RFC 3339; null while it runs */
            endedAt: string | null;
            links: {
                self: string;
                target: string;
            };
        };
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: {
                id: string;
                name: string;
            };
            action: string;
            /** @description `job/<id>`, `node/<name>` … */
            target: string;
            /** @description SHA-256 of the canonical JSON of the object before */
            beforeSha256: string | null;
            /** @description and after */
            afterSha256: string | null;
            /** @description For people */
            reason: string | null;
            requestId: string;
            /** @description Workflow that supervises the object */
            workflowId: string | null;
        };
        Overview: {
            /**
             * Format: date-time
             * @description By the database's clock
             */
            at: string;
            /** @description Since it was read; it is read at most once a second */
            ageMs: number;
            fleet: {
                /** @description By state; schedulable ones take new work */
                nodes: {
                    LIVE: {
                        total: number;
                        schedulable: number;
                    };
                    UNKNOWN: {
                        total: number;
                        schedulable: number;
                    };
                    DEAD: {
                        total: number;
                        schedulable: number;
                    };
                };
                models: {
                    model: string;
                    devices: number;
                    healthy: number;
                    /** @description Healthy, on nodes that take new work */
                    schedulable: number;
                    /** @description Thousandths of a device that are allocated */
                    usedMilli: number;
                }[];
                /** @description Members of fenced epochs whose devices stay blocked until proof */
                fencedMembers: number;
            };
            /** @description Waiting jobs by priority class, highest first */
            queue: {
                /** @enum {unknown} */
                class: "high" | "normal" | "low";
                jobs: number;
                oldestAgeMs: number;
            }[];
            /** @description Active jobs by state */
            jobs: {
                RESERVED: number;
                STARTING: number;
                RUNNING: number;
                LOST: number;
                VACATING: number;
                CANCELLING: number;
            };
            events: {
                unnumberedRows: number;
                unrelayedRows: number;
                /** @description Age of the oldest event that is not published */
                relayLagMs: number;
                /** @description Published events that supervision has not been told; null while NATS does not answer */
                dispatcherLag: number | null;
            };
            deadLetters: {
                dead: number;
                redriven: number;
            };
            leaders: {
                name: string;
                /** @description Somebody holds the lease now */
                held: boolean;
            }[];
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
                    /** @description Name of its organisation; `default` where absent */
                    org?: string;
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listOrgs: {
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
                        items: components["schemas"]["Org"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    createOrg: {
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
                    "application/json": components["schemas"]["Org"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listKeys: {
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
                        items: components["schemas"]["ApiKey"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people; need not be unique */
                    name: string;
                    /** @enum {unknown} */
                    role: "viewer" | "member" | "operator" | "admin";
                    /** @description Name of the team */
                    team?: string;
                    /** @description Name of the organisation; neither team nor org: the cluster */
                    org?: string;
                    /** @description Narrow the role; absent: all that it may */
                    scopes?: ("*" | "jobs:*" | "logs:*" | "checkpoints:*" | "events:*" | "operations:*" | "secrets:*" | "teams:*" | "orgs:*" | "bindings:*" | "keys:*" | "nodes:*" | "dead-letters:*" | "audit:*" | "overview:*" | "jobs:read" | "jobs:write" | "logs:read" | "logs:write" | "checkpoints:read" | "checkpoints:write" | "events:read" | "events:write" | "operations:read" | "operations:write" | "secrets:read" | "secrets:write" | "teams:read" | "teams:write" | "orgs:read" | "orgs:write" | "bindings:read" | "bindings:write" | "keys:read" | "keys:write" | "nodes:read" | "nodes:write" | "dead-letters:read" | "dead-letters:write" | "audit:read" | "audit:write" | "overview:read" | "overview:write")[];
                    /** @description RFC 3339; absent: never */
                    expiresAt?: string;
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
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id, `key_…` */
                key: string;
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
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id, `key_…` */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    overlapSeconds: number;
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
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id, `key_…` */
                key: string;
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
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listBindings: {
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
                        items: components["schemas"]["RoleBinding"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    bindRole: {
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
                    principal: {
                        /**
                         * @description key: an API key · subject, group: as the identity provider names them
                         * @enum {unknown}
                         */
                        kind: "key" | "subject" | "group";
                        id: string;
                    };
                    /** @enum {unknown} */
                    role: "viewer" | "member" | "operator" | "admin";
                    /** @description Name of the team */
                    team?: string;
                    /** @description Name of the organisation; neither team nor org: the cluster */
                    org?: string;
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
                    "application/json": components["schemas"]["RoleBinding"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    unbindRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id, `bind_…` */
                binding: string;
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
                    "application/json": components["schemas"]["RoleBinding"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listSecrets: {
        parameters: {
            query?: {
                /** @description Items a page; 50 where absent */
                page_size?: number;
                /** @description From next_page_token of the page before */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @description Name of the team */
                team: string;
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
                        items: components["schemas"]["Secret"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    putSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team */
                team: string;
                /** @description Name of the secret */
                secret: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Text; never shown again */
                    value: string;
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
                    "application/json": components["schemas"]["Secret"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    deleteSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team */
                team: string;
                /** @description Name of the secret */
                secret: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    submitJobs: {
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
                    jobs: components["schemas"]["JobSpec"][];
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
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
                /** @description ETag of the version that the change is meant for; another one is 412 */
                "if-match"?: string;
                /** @description `wait=N`: answer when it is over, at the latest after N seconds */
                prefer?: string;
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
            header?: {
                /** @description ETags that the caller has; 304 where one is still current */
                "if-none-match"?: string;
            };
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
            /** @description Not modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    patchJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that the change is meant for; another one is 412 */
                "if-match"?: string;
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
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default normal */
                    priorityClass?: "low" | "normal" | "high";
                    /** @description null: none */
                    timeLimitSeconds?: number | null;
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: precondition_required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listNodes: {
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
                        items: components["schemas"]["Node"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    getNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; 304 where one is still current */
                "if-none-match"?: string;
            };
            path: {
                /** @description Name */
                node: string;
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
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Not modified */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    cordonNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
                /** @description ETag of the version that the change is meant for; another one is 412 */
                "if-match"?: string;
            };
            path: {
                /** @description Name */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One sentence for people */
                    reason: string;
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
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    uncordonNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
                /** @description ETag of the version that the change is meant for; another one is 412 */
                "if-match"?: string;
            };
            path: {
                /** @description Name */
                node: string;
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
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    drainNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
                /** @description ETag of the version that the change is meant for; another one is 412 */
                "if-match"?: string;
                /** @description `wait=N`: answer when it is over, at the latest after N seconds */
                prefer?: string;
            };
            path: {
                /** @description Name */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One sentence for people */
                    reason: string;
                    /** @description Only say which jobs would go */
                    dryRun?: boolean;
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
                    "application/json": components["schemas"]["Drain"];
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drain"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    createEnrolmentToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    node?: string;
                    ttlSeconds: number;
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
                    "application/json": components["schemas"]["EnrolmentToken"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    revokeNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One sentence for people */
                    reason: string;
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
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    rotateNodeCredential: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One sentence for people */
                    reason: string;
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
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    confirmNodeTerminated: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with its key repeats its answer, not its effect */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The boot that is over, as GET /v1/nodes/{node} shows it */
                    bootId: string;
                    /** @description One sentence for people */
                    reason: string;
                    /** @description Only say which members would count as gone */
                    dryRun?: boolean;
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
                    "application/json": components["schemas"]["Termination"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: job_ended, job_not_ended, job_not_waiting, time_limit_shortened, undeclared_move, boot_unknown, credential_absent, team_exists, org_exists, key_revoked, last_admin, secret_in_use, secrets_full, idempotency_in_flight, job_version_lost, node_version_lost */
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listCheckpoints: {
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
                        items: components["schemas"]["Checkpoint"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id, `job_…` */
                job: string;
                /** @description Id, `ckpt_…` */
                checkpoint: string;
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
                    "application/json": components["schemas"]["CheckpointWithFiles"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    readJobLogs: {
        parameters: {
            query?: {
                /** @description One member; all where absent */
                rank?: number;
                /** @description Epoch of the attempt; all where absent */
                attempt?: string;
                /** @description Goes on until the job, or the attempt, has ended and all is read */
                follow?: boolean;
                /** @description Id of the last message that was read */
                after?: string;
            };
            header?: {
                /** @description As EventSource sends it; wins over `after` */
                "last-event-id"?: string;
            };
            path: {
                /** @description Id, `job_…` */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With `Accept: text/event-stream` server-sent events `output`, `notice` and at last `end`, whose data are `{rank, epoch, stream, node, at, text}`; otherwise plain text, each line with its rank in front */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                    "text/plain": string;
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    streamEvents: {
        parameters: {
            query?: {
                /** @description Position of the last event that was seen; those after it follow */
                after?: string;
                /** @description Repeatable: any of these */
                kind?: ("job.submitted" | "job.placed" | "job.changed" | "job.attention" | "checkpoint.committed" | "checkpoint.bad" | "node.changed" | "team.created")[];
                /** @description One object, for instance `node/node-1` */
                key?: string;
                /** @description Id of a job: its own events and those of its checkpoints */
                job?: string;
                /** @description Name of a team */
                team?: string;
            };
            header?: {
                /** @description As EventSource sends it; wins over `after` */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events: `id` is the position, `event` the kind, `data` an Event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: gone */
            410: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Items a page; 50 where absent */
                page_size?: number;
                /** @description From next_page_token of the page before */
                page_token?: string;
                state?: "DEAD" | "REDRIVEN" | "HANDLED";
                consumer?: string;
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
                        items: components["schemas"]["DeadLetter"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    redriveDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id, `dead_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listOperations: {
        parameters: {
            query?: {
                state?: "RUNNING" | "SUCCEEDED" | "FAILED";
                kind?: "job.cancel" | "node.drain";
                target?: string;
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
                        items: components["schemas"]["Operation"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    getOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N`: answer when it is over, at the latest after N seconds */
                prefer?: string;
            };
            path: {
                /** @description Id, `op_…` */
                operation: string;
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
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: job_not_found, node_not_found, team_not_found, org_not_found, key_not_found, binding_not_found, secret_not_found, attempt_not_found, checkpoint_not_found, dead_letter_not_found, operation_not_found, route_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    listAudit: {
        parameters: {
            query?: {
                /** @description Id of the actor */
                actor?: string;
                action?: string;
                target?: string;
                /** @description Id of the request */
                request?: string;
                /** @description From this instant on */
                since?: string;
                /** @description Before this instant */
                until?: string;
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
                        items: components["schemas"]["AuditEntry"][];
                        /** @description null on the last page */
                        next_page_token: string | null;
                    };
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
    overview: {
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
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description Problem; codes of this status: malformed_json, invalid_request, invalid_cursor, idempotency_key_required */
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
            /** @description Problem; codes of this status: request_timeout */
            408: {
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
            /** @description Problem; codes of this status: queue_full, rate_limited */
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
}
