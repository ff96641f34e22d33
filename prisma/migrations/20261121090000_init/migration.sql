-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "management_cluster" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "server" TEXT NOT NULL,
    "identity" TEXT,
    "discovery" JSONB,
    "discovered_at" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL DEFAULT 'pending',
    "state_message" TEXT,
    "last_heard_at" TIMESTAMPTZ(3),
    "latch_form" TEXT NOT NULL DEFAULT 'none',
    "latch_status" JSONB,
    "latch_checked_at" TIMESTAMPTZ(3),
    "gate_state" TEXT NOT NULL DEFAULT 'unregistered',
    "gate_status" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "management_cluster_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cluster_credential" (
    "cluster_id" UUID NOT NULL,
    "sealed" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "cluster_credential_pkey" PRIMARY KEY ("cluster_id")
);

-- CreateTable
CREATE TABLE "cluster_lease" (
    "cluster_id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "cluster_lease_pkey" PRIMARY KEY ("cluster_id")
);

-- CreateTable
CREATE TABLE "stream" (
    "cluster_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "objects" INTEGER NOT NULL DEFAULT 0,
    "events" BIGINT NOT NULL DEFAULT 0,
    "relists" INTEGER NOT NULL DEFAULT 0,
    "resource_version" TEXT,
    "last_heard_at" TIMESTAMPTZ(3),
    "message" TEXT,

    CONSTRAINT "stream_pkey" PRIMARY KEY ("cluster_id","resource")
);

-- CreateTable
CREATE TABLE "workload_cluster" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "version" TEXT,
    "phase" TEXT,
    "topology_class" TEXT,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workload_cluster_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_group" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "api_version" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "workload_cluster" TEXT NOT NULL,
    "version" TEXT,
    "desired_replicas" INTEGER NOT NULL DEFAULT 0,
    "replicas" INTEGER NOT NULL DEFAULT 0,
    "ready_replicas" INTEGER NOT NULL DEFAULT 0,
    "available_replicas" INTEGER NOT NULL DEFAULT 0,
    "up_to_date_replicas" INTEGER NOT NULL DEFAULT 0,
    "strategy" TEXT,
    "max_surge" TEXT,
    "max_unavailable" TEXT,
    "deletion_order" TEXT,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "held" TEXT,
    "governed" BOOLEAN NOT NULL DEFAULT false,
    "rolling_out" BOOLEAN NOT NULL DEFAULT false,
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "resource_version" TEXT NOT NULL,
    "generation" BIGINT NOT NULL DEFAULT 0,
    "observed_generation" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "machine_group_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "workload_cluster" TEXT NOT NULL,
    "group_kind" TEXT,
    "group_name" TEXT,
    "machine_set" TEXT,
    "control_plane" BOOLEAN NOT NULL DEFAULT false,
    "node" TEXT,
    "version" TEXT,
    "version_key" TEXT,
    "phase" TEXT NOT NULL,
    "failure_domain" TEXT,
    "state" TEXT NOT NULL,
    "severity" INTEGER NOT NULL DEFAULT 0,
    "sentence" TEXT NOT NULL,
    "ready" BOOLEAN NOT NULL DEFAULT false,
    "available" BOOLEAN NOT NULL DEFAULT false,
    "up_to_date" BOOLEAN,
    "updating" BOOLEAN NOT NULL DEFAULT false,
    "deleting" BOOLEAN NOT NULL DEFAULT false,
    "error" TEXT,
    "boot_image" TEXT,
    "provider_id" TEXT,
    "verdict" TEXT NOT NULL DEFAULT 'up-to-date',
    "verdict_reason" TEXT,
    "resource_version" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "machine_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "group_kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "group_name" TEXT NOT NULL,
    "workload_cluster" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "from_version" TEXT,
    "to_version" TEXT,
    "change_set" JSONB NOT NULL,
    "outlook" JSONB NOT NULL,
    "held_by" TEXT NOT NULL,
    "resource_version" TEXT NOT NULL,
    "machines" INTEGER NOT NULL,
    "author" TEXT,
    "stuck_reason" TEXT,
    "detected_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "outcome" JSONB,

    CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decision" (
    "id" UUID NOT NULL,
    "change_id" UUID NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "reason" TEXT,
    "state" TEXT NOT NULL DEFAULT 'recorded',
    "calls" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimed_by" TEXT,
    "claimed_until" TIMESTAMPTZ(3),
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "accepted_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "decision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_progress" (
    "change_id" UUID NOT NULL,
    "machine_id" UUID NOT NULL,
    "machine_name" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "predicted" TEXT,
    "message" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "machine_progress_pkey" PRIMARY KEY ("change_id","machine_id")
);

-- CreateTable
CREATE TABLE "gate_call" (
    "id" BIGSERIAL NOT NULL,
    "cluster_id" UUID NOT NULL,
    "change_id" UUID,
    "hook" TEXT NOT NULL,
    "group" TEXT NOT NULL,
    "machine" TEXT,
    "answer" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gate_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "updater" (
    "id" UUID NOT NULL,
    "cluster_id" UUID,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "ca_pem" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "updater_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy" (
    "cluster_id" UUID NOT NULL,
    "governs" TEXT NOT NULL DEFAULT 'none',
    "label_key" TEXT,
    "label_value" TEXT,
    "break_glass" TEXT NOT NULL DEFAULT 'drydock:break-glass',
    "reason_needed" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_pkey" PRIMARY KEY ("cluster_id")
);

-- CreateTable
CREATE TABLE "gate_certificate" (
    "id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "cert_pem" TEXT NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "hosts" TEXT[],
    "not_before" TIMESTAMPTZ(3) NOT NULL,
    "not_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gate_certificate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "openshift_cluster" (
    "cluster_id" UUID NOT NULL,
    "infrastructure_name" TEXT,
    "version" TEXT,
    "platform" TEXT,
    "topology" TEXT,
    "skew_supported" BOOLEAN NOT NULL DEFAULT false,
    "mode" TEXT,
    "recorded_ocp" TEXT,
    "recorded_rhcos" TEXT,
    "verdict" TEXT NOT NULL DEFAULT 'unknown',
    "sentence" TEXT NOT NULL DEFAULT '',
    "blocks" TEXT,
    "floor_ocp" TEXT,
    "floor_rhel" TEXT,
    "evidence" JSONB NOT NULL DEFAULT '{}',
    "managed" JSONB NOT NULL DEFAULT '{}',
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "spec_skew" JSONB,
    "resource_version" TEXT,
    "generation" BIGINT NOT NULL DEFAULT 0,
    "observed_generation" BIGINT NOT NULL DEFAULT 0,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "openshift_cluster_pkey" PRIMARY KEY ("cluster_id")
);

-- CreateTable
CREATE TABLE "boot_image_set" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "replicas" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "current" TEXT,
    "wanted" TEXT,

    CONSTRAINT "boot_image_set_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "skew_action" (
    "id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "version_kind" TEXT,
    "version" TEXT,
    "reason" TEXT,
    "review_at" TIMESTAMPTZ(3),
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'recorded',
    "calls" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimed_by" TEXT,
    "claimed_until" TIMESTAMPTZ(3),
    "resource_version" TEXT,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "accepted_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3),

    CONSTRAINT "skew_action_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_event" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_kind" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "target_name" TEXT NOT NULL,
    "cluster_id" UUID,
    "cluster_name" TEXT,
    "reason" TEXT,
    "result" TEXT NOT NULL,
    "answer" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "prev_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "role" TEXT NOT NULL DEFAULT 'viewer',
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "token" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rate_limit" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_request" BIGINT NOT NULL,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_link" (
    "token_hash" TEXT NOT NULL,
    "user_id" TEXT,
    "role" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_link_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "management_cluster_name_key" ON "management_cluster"("name");

-- CreateIndex
CREATE UNIQUE INDEX "workload_cluster_cluster_id_namespace_name_key" ON "workload_cluster"("cluster_id", "namespace", "name");

-- CreateIndex
CREATE INDEX "machine_group_cluster_id_workload_cluster_idx" ON "machine_group"("cluster_id", "workload_cluster");

-- CreateIndex
CREATE UNIQUE INDEX "machine_group_cluster_id_kind_namespace_name_key" ON "machine_group"("cluster_id", "kind", "namespace", "name");

-- CreateIndex
CREATE INDEX "machine_cluster_id_workload_cluster_group_kind_group_name_idx" ON "machine"("cluster_id", "workload_cluster", "group_kind", "group_name");

-- CreateIndex
CREATE INDEX "machine_name_idx" ON "machine"("name");

-- CreateIndex
CREATE INDEX "machine_severity_name_idx" ON "machine"("severity" DESC, "name");

-- CreateIndex
CREATE INDEX "change_cluster_id_group_id_state_idx" ON "change"("cluster_id", "group_id", "state");

-- CreateIndex
CREATE INDEX "change_state_detected_at_idx" ON "change"("state", "detected_at" DESC);

-- CreateIndex
CREATE INDEX "decision_state_claimed_until_idx" ON "decision"("state", "claimed_until");

-- CreateIndex
CREATE INDEX "decision_change_id_recorded_at_idx" ON "decision"("change_id", "recorded_at");

-- CreateIndex
CREATE INDEX "gate_call_change_id_last_at_idx" ON "gate_call"("change_id", "last_at");

-- CreateIndex
CREATE INDEX "gate_call_last_at_idx" ON "gate_call"("last_at");

-- CreateIndex
CREATE UNIQUE INDEX "updater_name_key" ON "updater"("name");

-- CreateIndex
CREATE INDEX "gate_certificate_role_not_after_idx" ON "gate_certificate"("role", "not_after");

-- CreateIndex
CREATE UNIQUE INDEX "boot_image_set_cluster_id_kind_namespace_name_key" ON "boot_image_set"("cluster_id", "kind", "namespace", "name");

-- CreateIndex
CREATE INDEX "skew_action_cluster_id_recorded_at_idx" ON "skew_action"("cluster_id", "recorded_at");

-- CreateIndex
CREATE INDEX "skew_action_state_claimed_until_idx" ON "skew_action"("state", "claimed_until");

-- CreateIndex
CREATE UNIQUE INDEX "audit_event_hash_key" ON "audit_event"("hash");

-- CreateIndex
CREATE INDEX "audit_event_at_idx" ON "audit_event"("at" DESC);

-- CreateIndex
CREATE INDEX "audit_event_target_kind_target_id_idx" ON "audit_event"("target_kind", "target_id");

-- CreateIndex
CREATE INDEX "audit_event_cluster_id_id_idx" ON "audit_event"("cluster_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_event_actor_id_id_idx" ON "audit_event"("actor_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "account_user_id_idx" ON "account"("user_id");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "rate_limit_key_key" ON "rate_limit"("key");

-- AddForeignKey
ALTER TABLE "cluster_credential" ADD CONSTRAINT "cluster_credential_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "cluster_lease" ADD CONSTRAINT "cluster_lease_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stream" ADD CONSTRAINT "stream_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workload_cluster" ADD CONSTRAINT "workload_cluster_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "machine_group" ADD CONSTRAINT "machine_group_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "machine" ADD CONSTRAINT "machine_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "change" ADD CONSTRAINT "change_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decision" ADD CONSTRAINT "decision_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "change"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "machine_progress" ADD CONSTRAINT "machine_progress_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "change"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gate_call" ADD CONSTRAINT "gate_call_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "change"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "updater" ADD CONSTRAINT "updater_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy" ADD CONSTRAINT "policy_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "openshift_cluster" ADD CONSTRAINT "openshift_cluster_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "boot_image_set" ADD CONSTRAINT "boot_image_set_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "skew_action" ADD CONSTRAINT "skew_action_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "management_cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The audit is append-only: the database itself refuses everything else, whoever asks.
CREATE FUNCTION "audit_event_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_event is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_event_no_change" BEFORE UPDATE OR DELETE ON "audit_event"
  FOR EACH ROW EXECUTE FUNCTION "audit_event_append_only"();

CREATE TRIGGER "audit_event_no_truncate" BEFORE TRUNCATE ON "audit_event"
  FOR EACH STATEMENT EXECUTE FUNCTION "audit_event_append_only"();
