-- The word in which a set's image is told, kept: lists and counts over the whole fleet would have to read every cluster's evidence for it.
ALTER TABLE "boot_image_set" ADD COLUMN "told" TEXT NOT NULL DEFAULT 'unknown';

-- What the operator calls outdated, or cannot tell, is what its date says, in the order in which that of nodes is told
-- (lib/db/queries/node-image-judged.ts).
CREATE FUNCTION "boot_image_told"("s" "boot_image_set", "o" "openshift_cluster") RETURNS TEXT LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN s.dated IS NULL OR s.state NOT IN ('outdated', 'unknown') THEN s.state
    WHEN boot_image_below(s.dated, o.floor_ocp, o.floor_rhel) THEN 'below'
    -- A copy of the release's own; not one for other machines, as names on GCP end.
    WHEN s.dated LIKE 'RHCOS %' AND o.evidence->'rhcos' ? substr(s.dated, 7)
      AND (coalesce(s.current, '') NOT LIKE '%-gcp-%' OR s.arch IS NULL OR s.current LIKE '%-gcp-' || replace(s.arch, '_', '-')) THEN 'current'
    WHEN boot_image_newer(s.dated, o.evidence->>'streamVersion', o.evidence->'rhcos') THEN 'newer'
    -- A version of OpenShift in an image's own name, as Azure has them, says its minor release, and no more.
    WHEN boot_image_older(s.dated, CASE WHEN o.platform = 'Azure' AND s.dated_sure = 'likely' AND s.current ~ ':4[0-9]{0,2}[.][0-9]{1,2}[.][0-9]{8,12}$'
      THEN substring(o.evidence->>'streamVersion' from '^[0-9]+[.][0-9]+[.]') || '0' ELSE o.evidence->>'streamVersion' END, o.evidence->'rhcos') THEN 'outdated'
    -- Its release has no limit; later ones would not take it: FLOOR_NOW of lib/domain/skew/floors.ts.
    WHEN boot_image_below(s.dated, '4.13.0', '9.2') THEN 'outdated' ELSE s.state END
$$;

CREATE FUNCTION "boot_image_set_told"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  o openshift_cluster;
BEGIN
  -- Most are what they are, whatever their cluster is.
  IF NEW.dated IS NOT NULL AND NEW.state IN ('outdated', 'unknown') THEN
    SELECT * INTO o FROM openshift_cluster x WHERE x.cluster_id = NEW.cluster_id;
  END IF;
  NEW.told := boot_image_told(NEW, o);
  RETURN NEW;
END
$$;

CREATE FUNCTION "boot_image_told_anew"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE boot_image_set SET told = told WHERE cluster_id = NEW.cluster_id AND dated IS NOT NULL AND state IN ('outdated', 'unknown');
  RETURN NULL;
END
$$;

CREATE TRIGGER "boot_image_told" BEFORE INSERT OR UPDATE ON "boot_image_set" FOR EACH ROW EXECUTE FUNCTION "boot_image_set_told"();
CREATE TRIGGER "boot_image_told_insert" AFTER INSERT ON "openshift_cluster" FOR EACH ROW EXECUTE FUNCTION "boot_image_told_anew"();
CREATE TRIGGER "boot_image_told_update" AFTER UPDATE ON "openshift_cluster" FOR EACH ROW
  WHEN (OLD.platform IS DISTINCT FROM NEW.platform OR OLD.floor_ocp IS DISTINCT FROM NEW.floor_ocp OR OLD.floor_rhel IS DISTINCT FROM NEW.floor_rhel
    OR OLD.evidence->>'streamVersion' IS DISTINCT FROM NEW.evidence->>'streamVersion' OR OLD.evidence->'rhcos' IS DISTINCT FROM NEW.evidence->'rhcos')
  EXECUTE FUNCTION "boot_image_told_anew"();

-- All that is there.
UPDATE "boot_image_set" SET "told" = "state";
