package registry

// What a page can be odd in. None of these stops a walk; they are counted in the proof.
const (
	PageCountMismatch   = "count_mismatch"           // metadata.count is not the number of rows
	PageCountMissing    = "count_missing"            // no metadata.count
	PageNoMetadata      = "no_metadata"              // no member metadata
	PageLegacyCursor    = "legacy_next_cursor"       // next_cursor instead of nextCursor
	PageCursorNotLast   = "cursor_is_not_last_row"   // nextCursor is not "name:version" of the last row
	PageShort           = "short_page"               // fewer rows than asked for, and a cursor
	PageLong            = "long_page"                // more rows than asked for
	PageOutOfOrder      = "out_of_order"             // rows not in bytewise order of name and version
	PageStaleSame       = "stale_same"               // the cache called the page stale; read again, it was the same
	PageStaleChanged    = "stale_changed"            // the cache called the page stale; read again, it had changed
	PageStaleAgain      = "stale_again"              // the page was still stale, or failed, when it was read again
	PageInvalidUTF8     = "invalid_utf8"             // bytes that are not UTF-8
	PageDuplicateKey    = "duplicate_key"            // the same key twice in the page object or its metadata
	PageTooDeep         = "too_deep"                 // nested deeper than sensible
	PageNoUsableRow     = "no_usable_row"            // rows, but none with a name and a version: probably an unknown shape
	PageByteOrderMark   = "byte_order_mark"          // a byte order mark before the page
	PageVersionsOfOther = "versions_of_another_name" // the list of versions of one name holds another name
)

// Why a row has no identity. Such a row is kept with its bytes and counted as bad.
const (
	BadNotObject = "not_object"        // the element is no JSON object
	BadNoServer  = "server_not_object" // the member server is no JSON object
	BadNoName    = "no_name"           // no member name, or not a string, or empty
	BadNoVersion = "no_version"        // no version, or not a string, or empty
	BadName      = "unusable_name"     // a NUL or invalid UTF-8 in the name
	BadVersion   = "unusable_version"  // a NUL or invalid UTF-8 in the version
)

// What a row can be odd in. All that can be read of it is read nevertheless.
const (
	OddLegacyKeys       = "legacy_keys"          // snake_case or earlier names of members
	OddNoMeta           = "no_official_meta"     // nothing from the registry itself: no status, no isLatest
	OddNoStatus         = "no_status"            // official metadata without a status
	OddUnknownStatus    = "unknown_status"       // not active, deprecated or deleted
	OddNoLatest         = "no_is_latest"         // official metadata without isLatest
	OddTime             = "unreadable_time"      // a time that is not RFC 3339
	OddNoSchema         = "no_schema"            // no $schema, or an empty one
	OddSchema           = "unreadable_schema"    // a $schema without a date
	OddEmptyRepository  = "empty_repository"     // repository is there without a URL
	OddType             = "unexpected_type"      // a member of another JSON type than any schema version allows
	OddRemoteNoURL      = "remote_without_url"   // a remote without a URL
	OddRemoteNoType     = "remote_without_type"  // a remote without a transport type
	OddPackageNoID      = "package_without_id"   // a package without an identifier
	OddPackageNoType    = "package_without_type" // a package without a registry type
	OddText             = "text_replaced"        // NUL or invalid UTF-8 in a text, replaced by U+FFFD in what was read
	OddDuplicateKey     = "duplicate_key"        // the same key twice in one object; the first one counts
	OddCaseVariantKey   = "case_variant_key"     // a key that differs from a known one by case only; ignored
	OddDuplicateRemote  = "duplicate_remote"     // the same type and URL twice in one row
	OddDuplicatePackage = "duplicate_package"    // the same type, identifier and version twice in one row
)
