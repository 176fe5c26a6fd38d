//! Reading and writing files. What is written goes to storage, so no pair of ranks shows it.

use super::*;

#[rustfmt::skip]
functions_with_counts! {
    File_read file_read  (file buffer count datatype status)  NotCounted;
    File_read_all file_read_all  (file buffer count datatype status)  NotCounted;
    File_iread file_iread  (file buffer count datatype request)  NotCounted;
    File_iread_all file_iread_all  (file buffer count datatype request)  NotCounted;
    File_read_all_begin file_read_all_begin  (file buffer count datatype)  NotCounted;
    File_read_at file_read_at  (file offset buffer count datatype status)  NotCounted;
    File_read_at_all file_read_at_all  (file offset buffer count datatype status)  NotCounted;
    File_iread_at file_iread_at  (file offset buffer count datatype request)  NotCounted;
    File_iread_at_all file_iread_at_all  (file offset buffer count datatype request)  NotCounted;
    File_read_at_all_begin file_read_at_all_begin  (file offset buffer count datatype)  NotCounted;
    File_read_shared file_read_shared  (file buffer count datatype status)  NotCounted;
    File_iread_shared file_iread_shared  (file buffer count datatype request)  NotCounted;
    File_read_ordered file_read_ordered  (file buffer count datatype status)  NotCounted;
    File_read_ordered_begin file_read_ordered_begin  (file buffer count datatype)  NotCounted;
    File_write file_write  (file buffer count datatype status)  NotCounted;
    File_write_all file_write_all  (file buffer count datatype status)  NotCounted;
    File_iwrite file_iwrite  (file buffer count datatype request)  NotCounted;
    File_iwrite_all file_iwrite_all  (file buffer count datatype request)  NotCounted;
    File_write_all_begin file_write_all_begin  (file buffer count datatype)  NotCounted;
    File_write_at file_write_at  (file offset buffer count datatype status)  NotCounted;
    File_write_at_all file_write_at_all  (file offset buffer count datatype status)  NotCounted;
    File_iwrite_at file_iwrite_at  (file offset buffer count datatype request)  NotCounted;
    File_iwrite_at_all file_iwrite_at_all  (file offset buffer count datatype request)  NotCounted;
    File_write_at_all_begin file_write_at_all_begin  (file offset buffer count datatype)  NotCounted;
    File_write_shared file_write_shared  (file buffer count datatype status)  NotCounted;
    File_iwrite_shared file_iwrite_shared  (file buffer count datatype request)  NotCounted;
    File_write_ordered file_write_ordered  (file buffer count datatype status)  NotCounted;
    File_write_ordered_begin file_write_ordered_begin  (file buffer count datatype)  NotCounted;
}
