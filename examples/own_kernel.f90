! A kernel of one's own in Fortran, y = A x in compressed rows, analysed on a generated matrix.
!     gfortran -O2 -fopenmp own_kernel.f90 $(pkg-config --libs spmodel) -o own_kernel && ./own_kernel
module mine
    use iso_c_binding
    type, bind(c) :: matrix ! struct spmodel_matrix
        integer(c_size_t) :: size
        integer(c_int64_t) :: n_r, n_c, n_nz
        type(c_ptr) :: row_ptr, col, values
        integer(c_int32_t) :: row_ptr_B, col_B, kind, base
        type(c_ptr) :: name
    end type
    type, bind(c) :: kernel ! struct spmodel_kernel
        integer(c_size_t) :: size
        type(c_ptr) :: name, context
        type(c_funptr) :: prepare, run, finish, trace, stores
    end type
    interface
        type(c_ptr) function spmodel_new() bind(c); import; end function
        integer(c_int) function spmodel_read(s, name, a) bind(c)
            import; type(c_ptr), value :: s; character(c_char) :: name(*); type(c_ptr) :: a; end function
        integer(c_int) function spmodel_analyze(s, a, k, r) bind(c)
            import; type(c_ptr), value :: s, a; type(kernel) :: k; type(c_ptr) :: r; end function
        type(c_ptr) function spmodel_text(r, form) bind(c)
            import; type(c_ptr), value :: r; integer(c_int), value :: form; end function
        type(c_ptr) function spmodel_message(s) bind(c); import; type(c_ptr), value :: s; end function
        integer(c_int) function puts(text) bind(c); import; type(c_ptr), value :: text; end function
    end interface
contains
    integer(c_int) function run(state, vector, res) bind(c) ! all that is timed
        type(c_ptr), value :: state, vector, res
        type(matrix), pointer :: a
        integer(c_int32_t), pointer :: row_ptr(:), col(:)
        real(c_double), pointer :: values(:), x(:), y(:)
        integer :: i, j
        call c_f_pointer(state, a)
        call c_f_pointer(a%row_ptr, row_ptr, [a%n_r + 1])
        call c_f_pointer(a%col, col, [a%n_nz]); call c_f_pointer(a%values, values, [a%n_nz])
        call c_f_pointer(vector, x, [a%n_c]); call c_f_pointer(res, y, [a%n_r])
        !$omp parallel do private(j)
        do i = 1, int(a%n_r)
            y(i) = 0
            do j = row_ptr(i) + 1, row_ptr(i + 1) ! both count from 0
                y(i) = y(i) + values(j) * x(col(j) + 1)
            end do
        end do
        run = 0
    end function
end module

program own_kernel
    use mine
    type(c_ptr) :: s, a, r
    type(kernel) :: k = kernel(0, c_null_ptr, c_null_ptr, c_null_funptr, c_null_funptr, c_null_funptr, c_null_funptr, &
                               c_null_funptr)
    k%size = c_sizeof(k); k%run = c_funloc(run)
    s = spmodel_new()
    if (spmodel_read(s, "gen:laplace3d:40" // c_null_char, a) /= 0) stop 1
    if (spmodel_analyze(s, a, k, r) /= 0) stop puts(spmodel_message(s))
    if (puts(spmodel_text(r, 1)) < 0) stop 1 ! the report
end program
